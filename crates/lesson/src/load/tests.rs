//! Folders as authors leave them: good ones, broken ones, and ones that mean harm.

use std::fs;

use domain::exercise::Task;
use domain::limits::{CONTENT_FILE_BYTES_MAX, SOURCE_BYTES_MAX};
use domain::verdict::VerdictKind;
use tempfile::TempDir;

use super::*;

const MANIFEST: &str = r#"format = 1
title = "Copy"
kind = "kernel"
minutes = 5
difficulty = 2
entry = "copy"
[sizes]
n = { min = 1, max = 1000 }
[[param]]
name = "a"
type = "i32"
shape = ["n"]
role = "in"
fill = "ramp"
[[param]]
name = "b"
type = "i32"
shape = ["n"]
role = "out"
compare = "exact"
[[launch]]
kernel = "copy"
grid = [1]
block = [32]
[[case]]
sizes = { n = 5 }
visible = true
"#;
const KERNEL: &str = "extern \"C\" __global__ void copy(const int* a, int* b) {}\n";
const LESSON: &str =
    "+++\ntitle = \"First\"\nsummary = \"S.\"\nminutes = 3\nobjectives = [\"see\"]\n+++\n\n## Part\nSee [[task]].\n";

/// A course of one module `m`, one lesson `l` and one exercise `task`.
fn course_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, text) in [
        (
            "course.toml",
            "format_version = 1\ntitle = \"C\"\n\n[[module]]\nslug = \"m\"\ntitle = \"M\"\nlessons = [\"l\"]\n",
        ),
        ("m/l/lesson.md", LESSON),
        ("m/l/task/exercise.toml", MANIFEST),
        ("m/l/task/statement.md", "Copy, as [[l]] says.\n"),
        ("m/l/task/hints.md", "## Stage 1\nLook.\n\n## Stage 2 {when=\"oob-read oob-write\"}\nSee [[l|there]].\n"),
        ("m/l/task/starter.cu", KERNEL),
        ("m/l/task/reference.cu", KERNEL),
        ("m/l/task/solution.cu", KERNEL),
        ("m/l/task/wrong/empty.cu", "// expect: output-untouched\n// why: it does nothing\nx\n"),
    ] {
        write(&folder, path, text);
    }
    folder
}

fn write(folder: &TempDir, path: &str, text: impl AsRef<[u8]>) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lessons")
}

fn faults(course: &Course) -> Vec<String> {
    course.faults.iter().map(ToString::to_string).collect()
}

fn slug(text: &str) -> Slug {
    text.parse().unwrap()
}

/// After `change` the course has one fault, which begins and contains so, and this many exercises.
fn check(change: impl FnOnce(&TempDir), start: &str, part: &str, exercises: usize) {
    let folder = course_folder();
    change(&folder);
    let course = Course::load(folder.path());
    let faults = faults(&course);
    let [fault] = &faults[..] else {
        panic!("{start}: {faults:#?}");
    };
    assert!(fault.starts_with(start), "{fault}");
    assert!(fault.contains(part), "{fault}");
    assert_eq!(course.exercises().count(), exercises, "{fault}");
}

#[test]
fn a_good_course_has_everything_and_no_fault() {
    let folder = course_folder();
    let course = Course::load(folder.path());
    assert_eq!(faults(&course), [""; 0]);
    assert_eq!(course.title, "C");
    let lesson = course.find_lesson(&slug("m"), &slug("l")).unwrap();
    assert_eq!((lesson.title.as_str(), lesson.minutes), ("First", 3));
    assert_eq!(lesson.headings[0].id, "h-part");
    assert!(lesson.html.contains("<a href=\"/x/task\""), "{}", lesson.html);
    let exercise = course.find_exercise(&slug("task")).unwrap();
    assert_eq!((exercise.module.as_str(), exercise.lesson.as_str()), ("m", "l"));
    assert!(exercise.statement_html.contains("/course/m/l"));
    assert_eq!(exercise.hints[0].when, []);
    assert_eq!(exercise.hints[1].when, [VerdictKind::OobRead, VerdictKind::OobWrite]);
    assert!(exercise.hints[1].html.contains("there</a>"));
    assert_eq!(exercise.wrong[0].name, "empty");
    assert_eq!(exercise.wrong[0].source, "\n\nx\n");
    assert_eq!(exercise.folder, folder.path().join("m/l/task"));
    assert_eq!(exercise.content_hash.len(), 64);
    assert!(course.find_exercise(&slug("none")).is_none());
    assert!(course.find_lesson(&slug("m"), &slug("task")).is_none());
}

#[test]
fn the_shipped_course_has_no_fault() {
    let course = Course::load(&shipped());
    assert_eq!(faults(&course), [""; 0]);
    assert!(course.exercises().count() > 0);
    for exercise in course.exercises() {
        let Task::Kernel(task) = &exercise.task;
        assert!(exercise.starter.contains(&task.signature()), "{}", exercise.slug);
        assert!(exercise.solution.contains(&task.signature()), "{}", exercise.slug);
        assert!(exercise.wrong.len() >= 4, "{}", exercise.slug);
        for file in &exercise.wrong {
            let opens = |hint: &crate::Hint| hint.when.contains(&file.expect[0]);
            assert!(exercise.hints.iter().any(opens), "{}: no hint", file.name);
        }
    }
}

#[test]
fn the_labelled_kernels_have_no_fault() {
    let course = Course::load(&shipped().join("../tests/kernels"));
    assert_eq!(faults(&course), [""; 0]);
    let count = |of: fn(&Exercise) -> usize| course.exercises().map(of).sum::<usize>();
    assert_eq!((course.exercises().count(), count(|e| e.right.len() + 1), count(|e| e.wrong.len())), (26, 77, 176));
    for exercise in course.exercises() {
        let Task::Kernel(task) = &exercise.task;
        for (name, source) in [("starter", &exercise.starter), ("reference", &exercise.reference)] {
            assert!(source.contains(&task.signature()), "{} of {}", name, exercise.slug);
        }
        for file in &exercise.wrong {
            for line in &file.lines {
                let text = file.source.lines().nth(*line as usize - 1).unwrap();
                assert!(!text.trim().is_empty(), "{} of {}: line {line}", file.name, exercise.slug);
            }
        }
    }
}

#[test]
fn a_copied_folder_under_other_names_works_at_once() {
    let original = Course::load(&shipped());
    let folder = TempDir::new().unwrap();
    for (number, lesson) in original.lessons().enumerate() {
        for exercise in &lesson.exercises {
            let name = format!("other-{number}-{}", exercise.slug);
            copy(&exercise.folder, &folder.path().join("unit/text").join(name));
        }
    }
    write(&folder, "unit/text/lesson.md", LESSON.replace("See [[task]].", ""));
    write(
        &folder,
        "course.toml",
        "format_version = 1\ntitle = \"C\"\n[[module]]\nslug = \"unit\"\ntitle = \"U\"\nlessons = [\"text\"]\n",
    );
    let course = Course::load(folder.path());
    // Only the links by name lead nowhere now.
    for fault in &course.faults {
        assert!(fault.message.contains("is no lesson and no exercise"), "{fault}");
    }
    let hashes = |course: &Course| {
        let mut hashes: Vec<_> = course.exercises().map(|e| e.content_hash.clone()).collect();
        hashes.sort();
        hashes
    };
    assert_eq!(hashes(&course), hashes(&original));
}

#[test]
fn the_hash_follows_every_file() {
    let hash = |path: &str, text: &str| {
        let folder = course_folder();
        if !path.is_empty() {
            write(&folder, path, text);
        }
        let course = Course::load(folder.path());
        assert_eq!(faults(&course), [""; 0], "{path}");
        course.exercises().next().unwrap().content_hash.clone()
    };
    let base = hash("", "");
    assert_eq!(base, hash("", ""));
    assert_eq!(base, hash("m/l/task/.swap", "x"), "an editor's file");
    assert_eq!(base, hash("m/l/task/starter.cu~", "x"), "an editor's file");
    let changed = [
        hash("m/l/task/exercise.toml", &format!("{MANIFEST}# x\n")),
        hash("m/l/task/statement.md", "x"),
        hash("m/l/task/hints.md", "## Stage 1\nx\n"),
        hash("m/l/task/starter.cu", &format!("{KERNEL} ")),
        hash("m/l/task/reference.cu", &format!("{KERNEL} ")),
        hash("m/l/task/solution.cu", &format!("{KERNEL} ")),
        hash("m/l/task/wrong/other.cu", "// expect: nan\n// why: x\n"),
        hash("m/l/task/right/other.cu", "x"),
        hash("m/l/task/right/other.cu", "y"),
    ];
    for (position, one) in changed.iter().enumerate() {
        assert_ne!(*one, base);
        assert!(!changed[..position].contains(one));
    }
}

#[test]
fn faults_of_an_exercise_leave_it_out_and_nothing_else() {
    let task = |name: &str| format!("m/l/task/{name}");
    for name in ["statement.md", "starter.cu", "reference.cu", "solution.cu", "exercise.toml"] {
        let folder = course_folder();
        fs::remove_file(folder.path().join(task(name))).unwrap();
        let course = Course::load(folder.path());
        assert_eq!(course.lessons().count(), 1, "{name}");
        assert_eq!(course.exercises().count(), 0, "{name}");
        let faults = faults(&course);
        assert_eq!(faults[0], format!("m/l/task/{name}: the file is missing"));
        // The lesson's link to it is the second fault.
        assert!(faults[1].starts_with("m/l/lesson.md:9: [[task]]"), "{faults:?}");
        assert_eq!(faults.len(), 2);
    }
}

/// A course whose lesson links nowhere, so that a broken exercise is the only fault.
fn check_exercise(change: impl FnOnce(&TempDir), start: &str, part: &str) {
    let change = |folder: &TempDir| {
        write(folder, "m/l/lesson.md", LESSON.replace("[[task]]", "it"));
        change(folder);
    };
    check(change, start, part, 0);
}

#[test]
fn every_file_of_an_exercise_is_checked() {
    let put = |path: &'static str, text: Vec<u8>| move |folder: &TempDir| write(folder, path, text);
    let bytes = |text: &str| text.as_bytes().to_vec();
    check_exercise(
        put("m/l/task/exercise.toml", bytes(&MANIFEST.replace("minutes = 5", "minutes = 0"))),
        "m/l/task/exercise.toml:4: minutes: is 0",
        "",
    );
    check_exercise(put("m/l/task/hint.md", vec![]), "m/l/task/hint.md: ", "does not belong");
    check_exercise(put("m/l/task/more/a.cu", vec![]), "m/l/task/more: ", "does not belong");
    check_exercise(put("m/l/task/starter.cu", bytes("int x;")), "m/l/task/starter.cu: ", "no kernel 'copy'");
    check_exercise(put("m/l/task/wrong/a.cu", bytes("x")), "m/l/task/wrong/a.cu:1: ", "// expect:");
    check_exercise(
        put("m/l/task/wrong/a.cu", bytes("// expect: slow-ish\n// why: x\n")),
        "m/l/task/wrong/a.cu:1: ",
        "'slow-ish' is no verdict",
    );
    check_exercise(put("m/l/task/wrong/a.txt", vec![]), "m/l/task/wrong/a.txt: ", "ends with .cu");
    check_exercise(put("m/l/task/wrong/A.cu", vec![]), "m/l/task/wrong/A.cu: ", "named with");
    check_exercise(put("m/l/task/wrong/a.cu.expect", vec![]), "m/l/task/wrong/a.cu.expect: ", "'a.cu', which is not");
    check_exercise(put("m/l/task/wrong/empty.cu.expect", vec![]), "m/l/task/wrong/empty.cu.expect:1: ", "// expect:");
    check_exercise(put("m/l/task/right/a.txt", vec![]), "m/l/task/right/a.txt: ", "ends with .cu");
    check_exercise(
        put("m/l/task/right/a.cu", bytes("// expect: nan\n// why: x\n")),
        "m/l/task/right/a.cu:1: ",
        "accepted",
    );
    check_exercise(
        |folder| fs::create_dir_all(folder.path().join("m/l/task/right")).unwrap(),
        "m/l/task/right: ",
        "1 to 100 right files",
    );
    check_exercise(put("m/l/task/hints.md", bytes("x")), "m/l/task/hints.md:1: ", "before the first");
    check_exercise(put("m/l/task/statement.md", b"a\nb\xff".to_vec()), "m/l/task/statement.md:2: ", "UTF-8");
    check_exercise(
        |folder| fs::remove_file(folder.path().join("m/l/task/wrong/empty.cu")).unwrap(),
        "m/l/task/wrong: ",
        "1 to 100 wrong files",
    );
    check_exercise(
        |folder| {
            let from = folder.path().join("m/l/task");
            fs::rename(from, folder.path().join("m/l/Task")).unwrap();
        },
        "m/l/Task: ",
        "a-z",
    );
}

#[test]
fn right_files_and_headers_beside_are_read() {
    let folder = course_folder();
    write(&folder, "m/l/task/right/other.cu", "// expect: accepted\n// why: x\ny\n");
    write(&folder, "m/l/task/wrong/first.cu", "int x\n");
    write(&folder, "m/l/task/wrong/first.cu.expect", "// expect: compile-error\n// why: x\n// line: 1\n");
    write(&folder, "README.md", "# C\n");
    write(&folder, "ground_truth.json", "{}");
    let course = Course::load(folder.path());
    assert_eq!(faults(&course), [""; 0]);
    let exercise = course.find_exercise(&slug("task")).unwrap();
    assert_eq!(exercise.right, [crate::RightFile { name: "other".into(), source: "\n\ny\n".into() }]);
    let names: Vec<_> = exercise.wrong.iter().map(|file| (file.name.as_str(), file.source.as_str())).collect();
    assert_eq!(names, [("empty", "\n\nx\n"), ("first", "int x\n")]);
    assert_eq!(exercise.wrong[1].lines, [1]);
}

#[test]
fn large_files_are_refused_one_byte_past_the_bound() {
    let statement =
        |length: u64| move |folder: &TempDir| write(folder, "m/l/task/statement.md", "x".repeat(length as usize));
    let folder = course_folder();
    statement(CONTENT_FILE_BYTES_MAX)(&folder);
    assert_eq!(faults(&Course::load(folder.path())), [""; 0]);
    check_exercise(statement(CONTENT_FILE_BYTES_MAX + 1), "m/l/task/statement.md: ", "larger than");

    let source = |length: usize| {
        let text = KERNEL.to_owned() + &" ".repeat(length - KERNEL.len());
        move |folder: &TempDir| write(folder, "m/l/task/starter.cu", text)
    };
    let folder = course_folder();
    source(SOURCE_BYTES_MAX)(&folder);
    assert_eq!(faults(&Course::load(folder.path())), [""; 0]);
    check_exercise(source(SOURCE_BYTES_MAX + 1), "m/l/task/starter.cu: ", "limit of a submission");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let replace = |path: &'static str, target: &'static str| {
        move |folder: &TempDir| {
            let path = folder.path().join(path);
            let kept = folder.path().join(".kept");
            fs::rename(&path, &kept).unwrap();
            let target = if target.is_empty() { kept } else { PathBuf::from(target) };
            symlink(target, path).unwrap();
        }
    };
    for target in ["", "/etc/passwd"] {
        let folder = course_folder();
        replace("m/l/task/statement.md", target)(&folder);
        let course = Course::load(folder.path());
        assert_eq!(course.exercises().count(), 0);
        assert!(faults(&course)[0].contains("not followed"), "{:?}", course.faults);
    }
    for path in ["m", "m/l", "m/l/task", "m/l/lesson.md", "m/l/task/wrong", "course.toml"] {
        let folder = course_folder();
        replace(path, "")(&folder);
        let course = Course::load(folder.path());
        assert_eq!(course.exercises().count(), 0, "{path}");
        assert!(!course.faults.is_empty(), "{path}");
    }
}

fn put(path: &'static str, text: impl Into<String>) -> impl FnOnce(&TempDir) {
    let text = text.into();
    move |folder| write(folder, path, text)
}

#[test]
fn lessons_are_checked() {
    let lesson = |from: &str, to: &str| put("m/l/lesson.md", LESSON.replace(from, to));
    check(lesson("+++\ntitle", "title"), "m/l/lesson.md:1: ", "front matter", 0);
    check(lesson("minutes = 3", "minutes = x"), "m/l/lesson.md:4: ", "no TOML", 0);
    check(lesson("summary = \"S.\"\n", ""), "m/l/lesson.md: summary: ", "is missing", 0);
    check(lesson("[\"see\"]", "[]"), "m/l/lesson.md:5: objectives: ", "says nothing", 0);
    check(lesson("minutes = 3", "minutes = 3\nlevel = 1"), "m/l/lesson.md:5: level: ", "no field", 0);
    check(
        lesson("minutes = 3", "minutes = 3\nprerequisites = [\"gone\"]"),
        "m/l/lesson.md: ",
        "lists 'gone', which is no lesson",
        1,
    );
    check(
        lesson("minutes = 3", "minutes = 3\nprerequisites = [\"A\"]"),
        "m/l/lesson.md:5: prerequisites[1]: ",
        "a-z",
        0,
    );
    check(lesson("minutes = 3", "minutes = 3\nexercises = [\"gone\"]"), "m/l/lesson.md: ", "no such folder", 1);
    check(lesson("[[task]]", "[[gone]]"), "m/l/lesson.md:9: [[gone]]", "", 1);
}

#[test]
fn the_course_file_and_its_folders_are_checked() {
    check(put("m/l/notes.md", ""), "m/l/notes.md: ", "does not belong", 1);
    check(put("m/notes.md", ""), "m/notes.md: ", "does not belong", 1);
    check(put("m/draft/lesson.md", ""), "m/draft: is not listed", "module 'm'", 1);
    check(put("n/l/lesson.md", ""), "n: is not listed", "[[module]]", 1);
    let course = |from: &str, to: &str| {
        let text = "format_version = 1\ntitle = \"C\"\n\n[[module]]\nslug = \"m\"\ntitle = \"M\"\nlessons = [\"l\"]\n";
        assert!(text.contains(from));
        put("course.toml", text.replacen(from, to, 1))
    };
    check(course("[\"l\"]", "[\"l\", \"k\"]"), "course.toml: 'k' is listed", "no such folder", 1);
    check(course("[\"l\"]", "[\"l\", \"l\"]"), "course.toml:7: module[1].lessons[2]: ", "listed twice", 0);
    check(course("= 1", "= 2"), "course.toml:1: format_version: ", "from 1 to 1", 0);
    check(course("title = \"M\"", ""), "course.toml:4: module[1].title: ", "is missing", 0);
    check(
        |folder| fs::remove_file(folder.path().join("course.toml")).unwrap(),
        "course.toml: the file is missing",
        "",
        0,
    );
}

#[test]
fn a_name_is_given_once() {
    let copy_to = |name: &'static str| {
        move |folder: &TempDir| {
            copy(&folder.path().join("m/l/task"), &folder.path().join("m/k").join(name));
            write(folder, "m/k/lesson.md", LESSON.replace("First", "Second"));
            let text = "format_version = 1\ntitle = \"C\"\n[[module]]\nslug = \"m\"\ntitle = \"M\"\nlessons = [\"l\", \"k\"]\n";
            write(folder, "course.toml", text);
        }
    };
    check(copy_to("task"), "m/k/task: the name 'task' is taken by m/l/task", "", 1);
    check(copy_to("l"), "m/k/l: the name 'l' is taken by m/l", "", 1);
    let folder = course_folder();
    copy_to("fresh")(&folder);
    let course = Course::load(folder.path());
    assert_eq!((faults(&course).len(), course.exercises().count()), (0, 2));
}

#[test]
fn exercises_come_as_listed_then_by_difficulty() {
    let folder = course_folder();
    for (name, difficulty) in [("aa", 3), ("zz", 1), ("last", 5)] {
        let to = folder.path().join("m/l").join(name);
        copy(&folder.path().join("m/l/task"), &to);
        let text = MANIFEST.replace("difficulty = 2", &format!("difficulty = {difficulty}"));
        fs::write(to.join("exercise.toml"), text).unwrap();
    }
    let listed = "minutes = 3\nexercises = [\"last\"]";
    write(&folder, "m/l/lesson.md", LESSON.replace("minutes = 3", listed));
    let course = Course::load(folder.path());
    let order: Vec<_> = course.exercises().map(|e| e.slug.as_str()).collect();
    assert_eq!(order, ["last", "zz", "task", "aa"]);
}
