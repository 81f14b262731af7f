//! Variables of a build for debugging: which register holds which variable of the source, and between which labels.
//!
//! Reads the part of DWARF 2 that NVRTC 13.0 writes with `-G`: subprograms, lexical blocks, parameters and variables in
//! registers, whose names are packed as big-endian ASCII into the operand of `DW_OP_regx` (simulator design, section
//! 7.1). Variables in memory, and whatever is not understood, are left out: that is never an error, and never a panic.

use std::collections::HashMap;

/// Variables that are kept at most.
pub const VARIABLES_MAX: usize = 10_000;
/// Bytes of one section that are read.
const SECTION_BYTES_MAX: usize = 4 << 20;

/// A variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The function that it belongs to, by the name in the PTX text.
    pub function: String,
    /// Line of its declaration.
    pub line: u32,
    /// Where it is, at some places of the code.
    pub places: Vec<Place>,
}

/// A register that holds a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// `%r12`
    pub register: String,
    /// First label, and the label behind the last place; none is the whole function.
    pub between: Option<(String, String)>,
}

/// The variables that a PTX text tells of; empty where it was not compiled for debugging.
pub fn variables(text: &str) -> Vec<Variable> {
    let sections = (section(text, ".debug_info"), section(text, ".debug_abbrev"), section(text, ".debug_loc"));
    let (Some(info), Some(forms), lists) = sections else { return vec![] };
    let mut found = vec![];
    // What was read before a surprise stays.
    let _ = read(&info, &forms.bytes, lists.as_ref(), &mut found);
    found
}

/// Bytes of a section, and the labels that stand in them by position.
#[derive(Default)]
struct Section {
    bytes: Vec<u8>,
    labels: HashMap<usize, String>,
}

fn section(text: &str, name: &str) -> Option<Section> {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| line.strip_prefix(".section").is_some_and(|rest| rest.trim() == name))?;
    let mut section = Section::default();
    for line in lines.skip_while(|line| *line == "{").take_while(|line| *line != "}") {
        let Some((directive, values)) = line.split_once(char::is_whitespace) else { continue };
        let width = match directive {
            ".b8" => 1,
            ".b16" => 2,
            ".b32" => 4,
            ".b64" => 8,
            _ => continue,
        };
        for value in values.split(',').map(str::trim) {
            // A label of a section may have a distance behind it, and that is its value.
            let (label, number) = match value.split_once('+') {
                Some((label, distance)) => (Some(label), distance.parse().ok()?),
                None => match value.parse::<u64>() {
                    Ok(number) => (None, number),
                    Err(_) => (Some(value), 0),
                },
            };
            if let Some(label) = label {
                section.labels.insert(section.bytes.len(), label.to_owned());
            }
            section.bytes.extend(&number.to_le_bytes()[..width]);
            if section.bytes.len() > SECTION_BYTES_MAX {
                return None;
            }
        }
    }
    Some(section)
}

/// Reads from a place of a section on.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn number(&mut self, count: usize) -> Option<u64> {
        let mut wide = [0; 8];
        wide.get_mut(..count)?.copy_from_slice(self.take(count)?);
        Some(u64::from_le_bytes(wide))
    }

    /// ULEB128 of at most 64 bits.
    fn packed(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let byte = self.number(1)?;
            value |= (byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            shift += 7;
        }
    }

    fn text(&mut self) -> Option<String> {
        let length = self.bytes.get(self.at..)?.iter().position(|byte| *byte == 0)?;
        let text = String::from_utf8(self.take(length)?.to_vec()).ok()?;
        self.at += 1;
        Some(text)
    }
}

/// Tag, whether it has children, and (attribute, form) of each.
type Abbreviation = (u64, bool, Vec<(u64, u64)>);

fn abbreviations(bytes: &[u8]) -> Option<HashMap<u64, Abbreviation>> {
    let mut reader = Reader { bytes, at: 0 };
    let mut all = HashMap::new();
    loop {
        let code = reader.packed()?;
        if code == 0 {
            return Some(all);
        }
        let (tag, has_children, mut attributes) = (reader.packed()?, reader.number(1)? != 0, vec![]);
        loop {
            let pair = (reader.packed()?, reader.packed()?);
            if pair == (0, 0) {
                break;
            }
            attributes.push(pair);
        }
        all.insert(code, (tag, has_children, attributes));
    }
}

/// What an entry says of itself.
#[derive(Default)]
struct Entry {
    name: Option<String>,
    linkage_name: Option<String>,
    line: u32,
    places: Vec<Place>,
}

const TAG_PARAMETER: u64 = 0x05;
const TAG_SUBPROGRAM: u64 = 0x2e;
const TAG_VARIABLE: u64 = 0x34;
const AT_LOCATION: u64 = 0x02;
const AT_NAME: u64 = 0x03;
const AT_LINE: u64 = 0x3b;
const AT_LINKAGE_NAME: u64 = 0x2007;
const OP_REGX: u8 = 0x90;

fn read(info: &Section, forms: &[u8], lists: Option<&Section>, found: &mut Vec<Variable>) -> Option<()> {
    let forms = abbreviations(forms)?;
    // Length of the unit, version, place of the forms, bytes of an address.
    let mut reader = Reader { bytes: &info.bytes, at: 11 };
    let (mut depth, mut function) = (0_usize, None::<(usize, String)>);
    while reader.at < info.bytes.len() {
        let code = reader.packed()?;
        if code == 0 {
            depth = depth.checked_sub(1)?;
            function = function.filter(|(at, _)| *at < depth);
            continue;
        }
        let (tag, has_children, attributes) = forms.get(&code)?;
        let mut entry = Entry::default();
        for (attribute, form) in attributes {
            attribute_of(&mut reader, (*attribute, *form), lists, &mut entry)?;
        }
        match (*tag, &function) {
            (TAG_SUBPROGRAM, _) => {
                let name = entry.linkage_name.or(entry.name).unwrap_or_default();
                function = Some((depth, name));
            }
            (TAG_PARAMETER | TAG_VARIABLE, Some((_, function))) if !entry.places.is_empty() => {
                if found.len() >= VARIABLES_MAX {
                    return None;
                }
                let Entry { name, line, places, .. } = entry;
                found.push(Variable { name: name?, function: function.clone(), line, places });
            }
            _ => {}
        }
        depth += usize::from(*has_children);
    }
    Some(())
}

fn attribute_of(
    reader: &mut Reader<'_>,
    (attribute, form): (u64, u64),
    lists: Option<&Section>,
    entry: &mut Entry,
) -> Option<()> {
    let (mut block, mut text, mut number): (&[u8], _, _) = (&[], None, 0);
    // DWARF 2, section 7.5.4.
    match form {
        0x01 | 0x07 => number = reader.number(8)?,
        0x05 => number = reader.number(2)?,
        0x06 | 0x0e | 0x10 | 0x13 => number = reader.number(4)?,
        0x08 => text = Some(reader.text()?),
        0x0a => {
            let length = reader.number(1)?;
            block = reader.take(length as usize)?;
        }
        0x0b | 0x0c => number = reader.number(1)?,
        0x0d | 0x0f => number = reader.packed()?,
        _ => return None,
    }
    match (attribute, form) {
        (AT_NAME, _) => entry.name = text,
        (AT_LINKAGE_NAME, _) => entry.linkage_name = text,
        (AT_LINE, _) => entry.line = number as u32,
        (AT_LOCATION, 0x0a) => {
            entry.places.extend(register(block).map(|register| Place { register, between: None }));
        }
        (AT_LOCATION, 0x06) => entry.places = lists.and_then(|lists| list(lists, number as usize)).unwrap_or_default(),
        _ => {}
    }
    Some(())
}

/// The places of a variable that moves.
fn list(lists: &Section, start: usize) -> Option<Vec<Place>> {
    let (mut reader, mut places) = (Reader { bytes: &lists.bytes, at: start }, vec![]);
    loop {
        let (from, to) = (lists.labels.get(&reader.at), lists.labels.get(&reader.at.checked_add(8)?));
        reader.take(16)?;
        let (Some(from), Some(to)) = (from, to) else { return Some(places) };
        let length = reader.number(2)?;
        if let Some(register) = register(reader.take(length as usize)?) {
            places.push(Place { register, between: Some((from.clone(), to.clone())) });
        }
    }
}

/// The register that a location is, where it is one.
fn register(block: &[u8]) -> Option<String> {
    let (operation, operand) = block.split_first()?;
    let mut reader = Reader { bytes: operand, at: 0 };
    let packed = reader.packed()?.to_be_bytes();
    let name: Vec<u8> = packed.into_iter().skip_while(|byte| *byte == 0).collect();
    let is_name = *operation == OP_REGX && reader.at == operand.len() && name.first() == Some(&b'%');
    String::from_utf8(name).ok().filter(|_| is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> String {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../sim/testdata/unset_debug.ptx");
        std::fs::read_to_string(path).expect("it is there")
    }

    #[test]
    fn variables_have_registers_and_lines() {
        let all = variables(&text());
        let of = |function: &str, name: &str| {
            let mut found = all.iter().filter(|one| one.function == function && one.name == name);
            found.next().unwrap_or_else(|| panic!("{function} {name} in {all:?}"))
        };
        let whole = |register: &str| vec![Place { register: register.to_owned(), between: None }];
        assert_eq!((of("one_way", "i").line, &of("one_way", "i").places), (5, &whole("%r1")));
        assert_eq!((of("one_way", "n").line, &of("one_way", "n").places), (4, &whole("%r4")));
        assert_eq!(of("one_way", "b").places, whole("%rd2"));
        let moving: Vec<_> = of("one_way", "x").places.iter().map(|place| place.register.as_str()).collect();
        assert_eq!((of("one_way", "x").line, moving), (6, vec!["%r2", "%r12", "%r3"]));
        let (from, _) = of("one_way", "x").places[0].between.as_ref().expect("it moves");
        assert_eq!(from, "$L__tmp4");
    }

    #[test]
    fn what_is_not_understood_is_left_out() {
        assert_eq!(variables(""), []);
        assert_eq!(variables(".section .debug_info\n{\n.b8 1\n}\n.section .debug_abbrev\n{\n.b8 255\n}"), []);
        let whole = text();
        let start = whole.find(".debug_loc").expect("sections");
        // Every cut, and every changed number, gives less or something else, and no panic.
        let all = variables(&whole).len();
        for end in (start..whole.len()).step_by(97).filter(|end| whole.is_char_boundary(*end)) {
            assert!(variables(&whole[..end]).len() <= all);
            let changed = format!("{}\n.b8 255\n{}", &whole[..end], &whole[end..]);
            let _ = variables(&changed);
        }
    }
}
