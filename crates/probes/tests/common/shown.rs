//! What a call that is shown does, for the tests that compare it with what is timed.

/// Functions that cost no call, because they are always inlined and read nothing.
const INLINED: [&str; 8] = [
    "while",
    "scaled",
    "duration_cast",
    "time_since_epoch",
    "count",
    "FD_TO_CLOCKID",
    "cntvct",
    "unsafe",
];

/// The functions that a call names, by the ends of their paths, and the instructions of its inline
/// assembly with the register that they name, in the order in which they are executed:
/// `clock_gettime()`, `mrs cntvct_el0`.
pub(crate) fn does(call: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The functions whose brackets are open; the innermost is called first.
    let mut open = Vec::new();
    let mut rest = call;
    while let Some(at) = rest.find(['(', ')']) {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        if rest[at..].starts_with(')') {
            found.extend(open.pop().flatten());
            rest = after;
            continue;
        }
        rest = after;
        match named(before) {
            "asm" | "volatile" => {
                let template = after.trim_start_matches('"');
                let (template, behind) = template.split_once('"').unwrap_or((template, ""));
                found.extend(template.split(';').map(instruction));
                rest = behind_operands(behind);
            }
            name if name.is_empty() || INLINED.contains(&name) => open.push(None),
            name => open.push(Some(format!("{name}()"))),
        }
    }
    found
}

/// The name that a text ends with; type arguments may follow a path.
fn named(text: &str) -> &str {
    let text = match (text.ends_with('>'), text.rfind('<')) {
        (true, Some(open)) => &text[..open],
        _ => text,
    };
    let text = text.trim_end();
    let start = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || "_:".contains(c)));
    &text[start.map_or(0, |start| start + 1)..]
}

/// The mnemonic, with the system register that it reads, if it names one.
fn instruction(text: &str) -> String {
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let mnemonic = words.next().unwrap_or_default();
    match words.find(|word| word.ends_with("_el0")) {
        Some(register) => format!("{mnemonic} {register}"),
        None => mnemonic.to_owned(),
    }
}

/// What follows the bracket that closes the operands of inline assembly.
fn behind_operands(text: &str) -> &str {
    let mut open = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

#[test]
fn calls_are_taken_apart() {
    assert_eq!(does("_mm_lfence(); __rdtsc()"), ["_mm_lfence()", "__rdtsc()"]);
    assert_eq!(
        does("duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count()"),
        ["steady_clock::now()"]
    );
    let asm = "asm volatile(\"isb; mrs %0, cntvct_el0\" : \"=r\"(t)); then(1)";
    assert_eq!(does(asm), ["isb", "mrs cntvct_el0", "then()"]);
    assert_eq!(does("while (a - b <= c) asm(\"wfe\");"), ["wfe"]);
    assert_eq!(does("outer(inner(1), 2)"), ["inner()", "outer()"]);
    assert_eq!(does("std::thread::sleep(d)"), ["std::thread::sleep()"]);
    assert_eq!(does("no call"), [""; 0]);
}
