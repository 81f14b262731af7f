//! What the server serves as files, under `target/site`.
//!
//! `pkg/` has `app.js` and `app_bg.wasm` (the islands), `code-editor.js`, `app.css` and the fonts,
//! each with its brotli twin (`.br`) where that is smaller.
//! `manifest.json` maps each name to the same name with `?v=<hash>`, which may be cached for good;
//! the plain name is what Leptos's own scripts ask for.
//! A part is made again only when what it is made of has another hash.

use crate::shell::{self, Step};
use crate::{paths, wasm};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Font packages, as (package, file stem).
const FONTS: [(&str, &str); 2] =
    [("@fontsource-variable/inter", "inter"), ("@fontsource-variable/jetbrains-mono", "jetbrains-mono")];
/// Lessons are written in English; names of people need the extension.
const SUBSETS: [&str; 2] = ["latin", "latin-ext"];

/// Makes all parts that are out of date.
pub fn build() -> Result<()> {
    let root = paths::root();
    if !root.join("node_modules/.bin/esbuild").exists() {
        bail!("node_modules is missing: run `npm ci`, or call this through ./dev");
    }
    let module = wasm::compile()?;
    make_part("wasm", std::slice::from_ref(&module), |folder| wasm::bind(&module, folder))?;
    let mut inputs = vec![root.join("package-lock.json")];
    for folder in ["app/editor", "app/style", "app/public"] {
        let folder = root.join(folder);
        if folder.exists() {
            inputs.extend(paths::list_files(&folder, &|_| true)?);
        }
    }
    make_part("bundle", &inputs, bundle)?;
    write_manifest()
}

/// Runs `make` in an empty folder and moves what it leaves there to `pkg`, unless nothing changed.
fn make_part(name: &str, inputs: &[PathBuf], make: impl Fn(&Path) -> Result<()>) -> Result<()> {
    let stamp_path = paths::site().join("stamps").join(name);
    let stamp = hash_files(inputs)?;
    if fs::read_to_string(&stamp_path).is_ok_and(|found| found == stamp) {
        return Ok(());
    }
    let step = Step::quiet(format!("Making the {name} part of the site"));
    let staging = paths::site().join("staging").join(name);
    if staging.exists() {
        fs::remove_dir_all(&staging)?;
    }
    fs::create_dir_all(&staging)?;
    make(&staging)?;
    compress(&staging)?;
    // File by file: a server that runs meanwhile sees whole files only.
    for path in paths::list_files(&staging, &|_| true)? {
        let place = paths::site().join("pkg").join(path.strip_prefix(&staging)?);
        fs::create_dir_all(place.parent().context("a file has a folder")?)?;
        fs::rename(&path, &place)?;
    }
    fs::create_dir_all(paths::site().join("stamps"))?;
    fs::write(stamp_path, stamp)?;
    step.done();
    Ok(())
}

/// esbuild's work: the editor, one style sheet, the fonts it names.
fn bundle(folder: &Path) -> Result<()> {
    let root = paths::root();
    let editor = root.join("app/editor/code-editor.js");
    if !editor.exists() {
        bail!("app/editor/code-editor.js is missing: the learner's editor is made from it");
    }
    let sheet = folder.join("app.entry.css");
    fs::write(&sheet, style_entry()?)?;
    let mut command = Command::new(root.join("node_modules/.bin/esbuild"));
    command
        .arg(format!("code-editor={}", editor.display()))
        .arg(format!("app={}", sheet.display()))
        .args(["--bundle", "--minify", "--format=esm", "--target=es2022"])
        .args(["--loader:.woff2=file", "--asset-names=[name]"])
        .args(["--legal-comments=none", "--log-level=warning"])
        .args(["--external:/fonts/*", "--external:/pkg/*"])
        .arg(format!("--outdir={}", folder.display()));
    shell::run(&mut command)?;
    fs::remove_file(sheet)?;
    copy_public()
}

/// The fonts, and `app/style/app.css`, or else all of `app/style` in the order of its file names.
fn style_entry() -> Result<String> {
    let root = paths::root();
    let mut entry = String::new();
    for (package, stem) in FONTS {
        let folder = root.join("node_modules").join(package);
        let sheet =
            fs::read_to_string(folder.join("wght.css")).with_context(|| format!("{package} has no wght.css"))?;
        for subset in SUBSETS {
            let rule = find_font_face(&sheet, &format!("{stem}-{subset}-wght-normal"))
                .with_context(|| format!("{package} has no subset {subset}"))?;
            let files = format!("url({}/files/", folder.display());
            writeln!(entry, "{}", rule.replace("url(./files/", &files))?;
        }
    }
    let styles = root.join("app/style");
    let main = styles.join("app.css");
    let sheets = if main.exists() {
        vec![main]
    } else if styles.exists() {
        paths::list_files(&styles, &|path| paths::has_extension(path, "css"))?
    } else {
        Vec::new()
    };
    // Imports must come before rules.
    let mut imports = String::new();
    for path in sheets {
        writeln!(imports, "@import \"{}\";", path.display())?;
    }
    Ok(imports + &entry)
}

/// The `@font-face` rule under the comment that is just `name`.
fn find_font_face<'sheet>(sheet: &'sheet str, name: &str) -> Option<&'sheet str> {
    let comment = format!("/* {name} */");
    let rest = &sheet[sheet.find(&comment)? + comment.len()..];
    Some(rest[..=rest.find('}')?].trim())
}

/// `app/public` becomes the root of the site: favicon, robots.txt.
fn copy_public() -> Result<()> {
    let public = paths::root().join("app/public");
    if !public.exists() {
        return Ok(());
    }
    for path in paths::list_files(&public, &|_| true)? {
        let place = paths::site().join(path.strip_prefix(&public)?);
        fs::create_dir_all(place.parent().context("a file has a folder")?)?;
        fs::copy(path, place)?;
    }
    Ok(())
}

/// Node's zlib, since Node is here anyway: no crate, no dependency.
fn compress(folder: &Path) -> Result<()> {
    const SCRIPT: &str = "
        import { readFileSync, writeFileSync } from 'node:fs';
        import { brotliCompress, constants } from 'node:zlib';
        for (const path of process.argv.slice(1)) {
            const bytes = readFileSync(path);
            const params = {
                [constants.BROTLI_PARAM_QUALITY]: 11,
                [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
            };
            brotliCompress(bytes, { params }, (error, packed) => {
                if (error) throw error;
                if (packed.length < bytes.length) writeFileSync(path + '.br', packed);
            });
        }";
    // woff2 is brotli inside already.
    let files = paths::list_files(folder, &|path| !paths::has_extension(path, "woff2"))?;
    let mut command = Command::new("node");
    command.args(["--input-type=module", "-e", SCRIPT, "--"]);
    shell::run(command.args(files))
}

fn write_manifest() -> Result<()> {
    let folder = paths::site().join("pkg");
    let mut names = BTreeMap::new();
    for path in paths::list_files(&folder, &|path| !paths::has_extension(path, "br"))? {
        let name = path.strip_prefix(&folder)?.to_string_lossy().into_owned();
        let hash = hash_files(std::slice::from_ref(&path))?;
        names.insert(name.clone(), format!("{name}?v={}", &hash[..16]));
    }
    let text = serde_json::to_string_pretty(&names)? + "\n";
    let place = paths::site().join("manifest.json");
    if fs::read_to_string(&place).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let unfinished = paths::site().join("manifest.json.new");
    fs::write(&unfinished, text)?;
    fs::rename(unfinished, place)?;
    Ok(())
}

/// SHA-256 of names and contents, in hexadecimal.
fn hash_files(files: &[PathBuf]) -> Result<String> {
    let mut hasher = Sha256::new();
    for path in files {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        hasher.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    let mut text = String::new();
    for byte in hasher.finalize() {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_font_face_is_found_by_its_whole_name() {
        let sheet = "/* x-latin-ext-wght */\n@font-face { a }\n\n/* x-latin-wght */\n@font-face {\n b\n}\n";
        assert_eq!(find_font_face(sheet, "x-latin-wght"), Some("@font-face {\n b\n}"));
        assert_eq!(find_font_face(sheet, "x-greek-wght"), None);
    }
}
