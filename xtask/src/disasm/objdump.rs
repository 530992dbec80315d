//! What `objdump -R` and `objdump -d --no-show-raw-insn -C` print, as functions of instructions.

use std::collections::HashMap;
use std::fmt;

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    pub address: u64,
    /// Without prefixes such as `lock`.
    pub mnemonic: String,
    /// As printed, without the comment.
    pub operands: String,
    /// The symbol that the operands or the comment name, such as `clock_gettime@plt`.
    pub symbol: Option<String>,
    /// The address in memory that the comment names: `# 3fe0 <…>`.
    slot: Option<u64>,
}

impl Instruction {
    /// A line such as `  54690:\tcall   55050 <clock_gettime@plt>`.
    fn parse(line: &str) -> Option<Self> {
        let (address, text) = line.trim_start().split_once(":\t")?;
        let address = u64::from_str_radix(address, 16).ok()?;
        const PREFIXES: [&str; 8] = [
            "lock", "rep", "repz", "repnz", "notrack", "bnd", "data16", "rex.W",
        ];
        let mut text = text.trim();
        while let Some((word, rest)) = text.split_once(char::is_whitespace) {
            if !PREFIXES.contains(&word) {
                break;
            }
            text = rest.trim_start();
        }
        let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let symbol = operands
            .split_once('<')
            .and_then(|(_, name)| name.rsplit_once('>'))
            .map(|(name, _)| name.to_owned());
        let (operands, comment) = operands.split_once(" #").unwrap_or((operands, ""));
        let slot = comment.split_whitespace().next();
        Some(Self {
            address,
            mnemonic: mnemonic.to_owned(),
            operands: operands.trim().to_owned(),
            symbol,
            slot: slot.and_then(|hex| u64::from_str_radix(hex, 16).ok()),
        })
    }

    /// x86 and Arm.
    pub fn is_call(&self) -> bool {
        matches!(
            self.mnemonic.as_str(),
            "call" | "callq" | "bl" | "blx" | "blr"
        )
    }

    /// Where a branch, which is no call, leads: the last operand.
    pub fn branch(&self) -> Option<u64> {
        let branches = ["j", "b", "cbz", "cbnz", "tbz", "tbnz"];
        if self.is_call()
            || !branches
                .iter()
                .any(|start| self.mnemonic.starts_with(start))
        {
            return None;
        }
        let target = self
            .operands
            .split('<')
            .next()?
            .rsplit([',', ' '])
            .find(|w| !w.is_empty())?;
        u64::from_str_radix(target.trim_start_matches("0x"), 16).ok()
    }
}

/// One function.
#[derive(Debug, Default)]
pub struct Function {
    pub name: String,
    pub code: Vec<Instruction>,
}

impl Function {
    /// The code between the target of a branch backwards and that branch, for each of them.
    pub fn loops(&self) -> impl Iterator<Item = &[Instruction]> {
        self.code
            .iter()
            .enumerate()
            .filter_map(|(end, instruction)| {
                let target = instruction.branch()?;
                let start = self.code.iter().position(|i| i.address == target)?;
                self.code.get(start..=end).filter(|code| !code.is_empty())
            })
    }

    /// Whom a call calls: by name, or by the register it was loaded into last, wherever in the
    /// function that was (compilers move such a load out of the loop).
    pub fn callee<'a>(&'a self, call: &'a Instruction) -> Option<&'a str> {
        if call.symbol.is_some() {
            return call.symbol.as_deref();
        }
        let register = call.operands.trim_start_matches('*');
        let before = self.code.iter().take_while(|i| i.address < call.address);
        before
            .filter(|i| {
                i.symbol.is_some()
                    && (i.operands.ends_with(&format!(",{register}"))
                        || i.operands.starts_with(&format!("{register},")))
            })
            .last()
            .and_then(|load| load.symbol.as_deref())
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:", self.name)?;
        for Instruction {
            address,
            mnemonic,
            operands,
            ..
        } in &self.code
        {
            writeln!(f, "  {address:x}  {mnemonic} {operands}")?;
        }
        Ok(())
    }
}

/// All functions, by address.
pub struct Program(HashMap<u64, Function>);

impl Program {
    pub fn parse(text: &str) -> Self {
        let mut functions = HashMap::new();
        let mut slots = HashMap::new();
        let mut current: Option<(u64, Function)> = None;
        for line in text.lines() {
            if let Some((slot, holds)) = relocation(line) {
                slots.insert(slot, holds.to_owned());
            } else if let Some((address, name)) = header(line) {
                functions.extend(current.replace((
                    address,
                    Function {
                        name: name.to_owned(),
                        code: Vec::new(),
                    },
                )));
            } else if let (Some((_, function)), Some(instruction)) =
                (&mut current, Instruction::parse(line))
            {
                function.code.push(instruction);
            }
        }
        functions.extend(current);
        let mut program = Self(functions);
        program.fill(slots);
        program
    }

    /// A call may go through a slot that the loader fills: names what that holds.
    fn fill(&mut self, mut slots: HashMap<u64, String>) {
        for holds in slots.values_mut() {
            // A function of this program is known by its address only.
            let address = holds.strip_prefix("*ABS*+0x");
            let address = address.and_then(|hex| u64::from_str_radix(hex, 16).ok());
            if let Some(function) = address.and_then(|address| self.0.get(&address)) {
                *holds = function.name.clone();
            }
        }
        for instruction in self.0.values_mut().flat_map(|function| &mut function.code) {
            if let Some(name) = instruction.slot.and_then(|slot| slots.get(&slot)) {
                instruction.symbol = Some(name.clone());
            }
        }
    }

    pub fn at(&self, address: u64) -> Option<&Function> {
        self.0.get(&address)
    }

    /// The functions whose names begin so.
    pub fn named<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a Function> {
        let functions = self.0.values();
        functions.filter(move |function| function.name.starts_with(start))
    }

    pub fn start_of(&self, name: &str) -> Option<u64> {
        let mut named = self.0.iter().filter(|(_, function)| function.name == name);
        named.next().map(|(address, _)| *address)
    }
}

/// A line such as `000000000003fe0 R_X86_64_GLOB_DAT clock_gettime@GLIBC_2.17`, or, for a function
/// of this program, `000000000003fe8 R_X86_64_RELATIVE *ABS*+0x1030`.
fn relocation(line: &str) -> Option<(u64, &str)> {
    let (slot, rest) = line.split_once(" R_")?;
    let holds = rest.split_once(char::is_whitespace)?.1.trim();
    Some((u64::from_str_radix(slot, 16).ok()?, holds))
}

/// A line such as `0000000000054690 <cs_posix_monotonic_throughput>:`.
fn header(line: &str) -> Option<(u64, &str)> {
    let (address, name) = line.strip_suffix(">:")?.split_once(" <")?;
    Some((u64::from_str_radix(address, 16).ok()?, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
timed_loops:     file format elf64-x86-64


DYNAMIC RELOCATION RECORDS
OFFSET           TYPE              VALUE
0000000000003fe0 R_X86_64_GLOB_DAT  clock_gettime@GLIBC_2.17
0000000000003fe8 R_X86_64_RELATIVE  *ABS*+0x1030

Disassembly of section .text:

0000000000001000 <first<T>::throughput>:
    1000:\tmov    %rdi,%rsi
    1004:\tje     1020 <first<T>::throughput+0x20>
    1008:\tmov    0x2fe0(%rip),%rbx        # 3fe0 <_GLOBAL_OFFSET_TABLE_+0x20>
    1010:\tcall   *%rbx
    1012:\tnotrack jmp *%rax
    1018:\tsub    $0x1,%rsi
    101c:\tjne    1010 <first<T>::throughput+0x10>
    1020:\tcall   *0x2fc2(%rip)        # 3fe8 <_GLOBAL_OFFSET_TABLE_+0x28>

0000000000001030 <second>:
    1030:\tmrs\tx0, cntvct_el0
    1034:\tbl\t2000 <clock_gettime@plt>
    1038:\tcbnz\tx1, 1030 <second>
";

    #[test]
    fn functions_loops_and_calls_are_seen() {
        let program = Program::parse(TEXT);
        assert_eq!(program.start_of("second"), Some(0x1030));
        let first = program.at(0x1000).unwrap();
        assert_eq!(first.code.len(), 8);
        let loops: Vec<_> = first.loops().collect();
        assert_eq!(loops.len(), 1);
        assert_eq!(loops[0][0].address, 0x1010);
        assert_eq!(first.callee(&loops[0][0]), Some("clock_gettime@GLIBC_2.17"));
        assert_eq!(loops[0][1].mnemonic, "jmp");
        assert_eq!(first.callee(&first.code[7]), Some("second"));

        let second = program.at(0x1030).unwrap();
        let body = second.loops().next().unwrap();
        assert_eq!(body[0].operands, "x0, cntvct_el0");
        assert!(body[1].is_call() && body[1].branch().is_none());
        assert_eq!(second.callee(&body[1]), Some("clock_gettime@plt"));
        assert!(program.at(0x1031).is_none());
    }
}
