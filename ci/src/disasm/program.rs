//! Reads a program's functions from its ELF file, with `object`.
//!
//! Machine code of any processor.
//!
//! Decodes machine code: x86-64 with `iced-x86`, and AArch64 with `yaxpeax-arm`.

use anyhow::{Context, Result, bail};
use iced_x86::{
    Decoder as X86Decoder, DecoderOptions, FlowControl, Formatter, IntelFormatter, OpKind,
};
use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind,
};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Opcode, Operand};

/// Decodes machine code that starts at an address.
type Decode = fn(&[u8], u64) -> Vec<Instruction>;

pub struct Program {
    decode: Decode,
    /// Sections of machine code by address.
    code: BTreeMap<u64, Vec<u8>>,
    /// The name and size of each function by address.
    functions: BTreeMap<u64, (String, u64)>,
    /// The names of variables, and of what the loader writes into slots, by address.
    slots: HashMap<u64, String>,
}

impl Program {
    pub fn read(path: &Path) -> Result<Self> {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let file = object::File::parse(&*bytes)?;
        let decode: Decode = match file.architecture() {
            Architecture::X86_64 => x86,
            Architecture::Aarch64 => aarch64,
            other => bail!("no disassembler for {other:?}"),
        };
        let mut program = Self {
            decode,
            code: BTreeMap::new(),
            functions: BTreeMap::new(),
            slots: HashMap::new(),
        };
        for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
            program.code.insert(section.address(), section.data()?.to_vec());
        }
        for symbol in file.symbols().filter(|symbol| symbol.is_definition()) {
            // The name without the hash, which differs between builds.
            let name = format!("{:#}", rustc_demangle::demangle(symbol.name()?));
            match symbol.kind() {
                SymbolKind::Text => {
                    program.functions.insert(symbol.address(), (name, symbol.size()));
                }
                SymbolKind::Data => {
                    program.slots.insert(symbol.address(), name);
                }
                _ => {}
            }
        }
        for (slot, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let name = match relocation.target() {
                RelocationTarget::Symbol(index) => {
                    let symbols = file.dynamic_symbol_table();
                    let symbol = symbols.and_then(|table| {
                        use object::ObjectSymbolTable;
                        table.symbol_by_index(index).ok()
                    });
                    symbol.and_then(|symbol| symbol.name().ok().map(str::to_owned))
                }
                // A function of this program, given by its address.
                _ => program.name_at(relocation.addend() as u64).map(str::to_owned),
            };
            program.slots.extend(name.map(|name| (slot, name)));
        }
        Ok(program)
    }

    /// Whether the machine code of both is the same, whatever it is called.
    pub fn same_code(&self, other: &Self) -> bool {
        self.code == other.code
    }

    /// The function that starts at an address.
    pub fn at(&self, address: u64) -> Option<Function> {
        let (name, size) = self.functions.get(&address)?;
        let mut code = self.decoded(address, *size as usize);
        for instruction in &mut code {
            instruction.symbol = self.symbol(instruction);
        }
        Some(Function { name: name.clone(), code })
    }

    /// The functions whose names start with `start`.
    pub fn named(&self, start: &str) -> impl Iterator<Item = Function> {
        let functions = self.functions.iter();
        let named = functions.filter(move |(_, (name, _))| name.starts_with(start));
        named.filter_map(|(address, _)| self.at(*address))
    }

    pub fn start_of(&self, name: &str) -> Option<u64> {
        let mut functions = self.functions.iter();
        functions.find_map(|(address, (of, _))| (of == name).then_some(*address))
    }

    fn decoded(&self, address: u64, size: usize) -> Vec<Instruction> {
        let piece = self.code.range(..=address).next_back();
        let code = piece.and_then(|(start, code)| code.get((address - start) as usize..));
        let code = code.map(|code| code.get(..size).unwrap_or(code));
        code.map_or(vec![], |code| (self.decode)(code, address))
    }

    /// The name of what an instruction calls, jumps to or reads.
    fn symbol(&self, instruction: &Instruction) -> Option<String> {
        let name = match (instruction.flow, instruction.slot) {
            (Flow::Call(Some(target)) | Flow::Jump(Some(target)), _) => self.function_at(target),
            (_, Some(slot)) => self.slots.get(&slot).map(String::as_str),
            _ => None,
        };
        name.map(str::to_owned)
    }

    /// The name of the function that contains an address. For a linker stub that calls into a
    /// shared library, this is the name of the library function.
    fn function_at(&self, address: u64) -> Option<&str> {
        /// Enough bytes for any form of stub.
        const STUB: usize = 16;
        self.name_at(address).or_else(|| {
            let slot =
                self.decoded(address, STUB).iter().find_map(|instruction| instruction.slot)?;
            self.slots.get(&slot).map(String::as_str)
        })
    }

    fn name_at(&self, address: u64) -> Option<&str> {
        let (start, (name, size)) = self.functions.range(..=address).next_back()?;
        (address < start + (*size).max(1)).then_some(name)
    }
}

/// Where execution continues after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At the next instruction.
    Next,
    /// Possibly elsewhere: at this address if the instruction contains one.
    Jump(Option<u64>),
    /// In a function that returns: at this address if the instruction contains one.
    Call(Option<u64>),
}

#[derive(Clone, Debug)]
pub struct Instruction {
    pub address: u64,
    /// The mnemonic in lower case, without prefixes such as `lock`.
    pub mnemonic: String,
    pub operands: String,
    pub flow: Flow,
    /// The fixed memory address that it reads: a variable, or a slot that the loader fills.
    pub slot: Option<u64>,
    /// The register that it loads from that address, or through which it calls or jumps.
    pub register: Option<String>,
    /// The name of what it calls, jumps to or reads.
    pub symbol: Option<String>,
}

impl Instruction {
    pub fn is_call(&self) -> bool {
        matches!(self.flow, Flow::Call(_))
    }
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub code: Vec<Instruction>,
}

impl Function {
    /// The loops: the code from the target of each backward branch up to that branch.
    pub fn loops(&self) -> impl Iterator<Item = &[Instruction]> {
        self.code.iter().enumerate().filter_map(|(end, instruction)| {
            let Flow::Jump(Some(target)) = instruction.flow else {
                return None;
            };
            let start = self.code.iter().position(|i| i.address == target)?;
            self.code.get(start..=end).filter(|code| !code.is_empty())
        })
    }

    /// The name of the function that a call reaches. For a call through a register, it is taken
    /// from the last load into that register, even outside the loop, because compilers hoist such
    /// loads.
    pub fn callee<'a>(&'a self, call: &'a Instruction) -> Option<&'a str> {
        if call.symbol.is_some() {
            return call.symbol.as_deref();
        }
        let before = self.code.iter().take_while(|i| i.address < call.address);
        before
            .filter(|load| load.slot.is_some() && load.register == call.register)
            .last()
            .and_then(|load| load.symbol.as_deref())
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:", self.name)?;
        for instruction in &self.code {
            write!(
                f,
                "  {:x}  {} {}",
                instruction.address, instruction.mnemonic, instruction.operands
            )?;
            match &instruction.symbol {
                Some(symbol) => writeln!(f, "  ; {symbol}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

/// Decodes x86-64 that starts at an address.
pub fn x86(code: &[u8], address: u64) -> Vec<Instruction> {
    let mut formatter = IntelFormatter::new();
    X86Decoder::with_ip(64, code, address, DecoderOptions::NONE)
        .iter()
        .map(|instruction| {
            let mut operands = String::new();
            formatter.format_all_operands(&instruction, &mut operands);
            let target = instruction.near_branch_target();
            let target = (target != 0).then_some(target);
            let flow = match instruction.flow_control() {
                FlowControl::Call | FlowControl::IndirectCall => Flow::Call(target),
                FlowControl::ConditionalBranch
                | FlowControl::UnconditionalBranch
                | FlowControl::IndirectBranch => Flow::Jump(target),
                _ => Flow::Next,
            };
            let register = (instruction.op_count() > 0
                && instruction.op0_kind() == OpKind::Register)
                .then(|| format!("{:?}", instruction.op0_register()));
            Instruction {
                address: instruction.ip(),
                mnemonic: format!("{:?}", instruction.mnemonic()).to_lowercase(),
                operands,
                flow,
                slot: instruction
                    .is_ip_rel_memory_operand()
                    .then(|| instruction.ip_rel_memory_address()),
                register,
                symbol: None,
            }
        })
        .collect()
}

/// The size of every instruction of AArch64, in bytes.
const SIZE: u64 = 4;

/// Decodes AArch64 that starts at an address.
pub fn aarch64(code: &[u8], address: u64) -> Vec<Instruction> {
    let mut pages = HashMap::new();
    code.chunks_exact(SIZE as usize)
        .zip((address..).step_by(SIZE as usize))
        .map(|(word, address)| one_of_aarch64(word, address, &mut pages))
        .collect()
}

/// Decodes one instruction. A memory address is the address of a page (`adrp`) plus an offset in a
/// later instruction; `pages` contains the registers that hold page addresses.
fn one_of_aarch64(word: &[u8], address: u64, pages: &mut HashMap<u16, u64>) -> Instruction {
    let Ok(it) = InstDecoder::default().decode(&mut U8Reader::new(word)) else {
        return instruction(address, ".word".into());
    };
    let from_here = |offset: i64| address.wrapping_add_signed(offset);
    let target = it.operands.iter().find_map(|operand| match operand {
        Operand::PCOffset(offset) => Some(from_here(*offset)),
        _ => None,
    });
    let mut this = instruction(address, it.to_string());
    match it.opcode {
        Opcode::BL | Opcode::BLR => this.flow = Flow::Call(target),
        Opcode::B
        | Opcode::BR
        | Opcode::Bcc(_)
        | Opcode::CBZ
        | Opcode::CBNZ
        | Opcode::TBZ
        | Opcode::TBNZ => this.flow = Flow::Jump(target),
        _ => {}
    }
    let Operand::Register(_, register) = it.operands[0] else {
        return this;
    };
    this.register = Some(register.to_string());
    match (it.opcode, it.operands[1]) {
        (Opcode::ADRP, Operand::PCOffset(offset)) => {
            let page = from_here(0) & !0xfff;
            pages.insert(register, page.wrapping_add_signed(offset));
            return this;
        }
        (Opcode::LDR, Operand::RegPreIndex(base, offset, false)) => {
            let page = pages.get(&base);
            this.slot = page.map(|page| page.wrapping_add_signed(offset.into()));
        }
        _ => {}
    }
    if this.flow == Flow::Next {
        pages.remove(&register);
    }
    this
}

/// An instruction after which execution continues with the next one.
fn instruction(address: u64, text: String) -> Instruction {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((&text, ""));
    Instruction {
        address,
        mnemonic: mnemonic.into(),
        operands: operands.into(),
        flow: Flow::Next,
        slot: None,
        register: None,
        symbol: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_calls_and_stubs_are_found() {
        let first = [
            0x48, 0x8b, 0x1d, 0xd9, 0x2f, 0x00, 0x00, // mov rbx, [rip + 0x2fd9]
            0xff, 0xd3, // call rbx
            0xe8, 0xf2, 0x00, 0x00, 0x00, // call 0x1100
            0x75, 0xf7, // jne 0x1007
        ];
        let stub = [0xff, 0x25, 0xe2, 0x2e, 0x00, 0x00]; // jmp [rip + 0x2ee2]
        let program = Program {
            decode: x86,
            code: [(0x1000, first.to_vec()), (0x1100, stub.to_vec())].into(),
            functions: [(0x1000, ("first".to_owned(), 16))].into(),
            slots: [(0x3fe0, "clock_gettime".into()), (0x3fe8, "time".into())].into(),
        };
        assert_eq!(program.start_of("first"), Some(0x1000));
        assert!(program.at(0x1001).is_none());
        let first = program.named("fir").next().unwrap();
        let loops: Vec<_> = first.loops().collect();
        assert_eq!(loops.len(), 1);
        assert_eq!(loops[0].len(), 3);
        assert_eq!(first.callee(&loops[0][0]), Some("clock_gettime"));
        assert_eq!(first.callee(&loops[0][1]), Some("time"));
    }
}

#[cfg(test)]
mod decode_tests {
    use super::*;

    #[test]
    fn calls_jumps_and_slots_of_x86_are_decoded() {
        let code = [
            0x48, 0x8b, 0x1d, 0xd9, 0x2f, 0x00, 0x00, // mov rbx, [rip + 0x2fd9]
            0x0f, 0x31, // rdtsc
            0xff, 0xd3, // call rbx
            0xff, 0x15, 0xd7, 0x2f, 0x00, 0x00, // call [rip + 0x2fd7]
            0xe8, 0xea, 0x00, 0x00, 0x00, // call 0x1100
            0x75, 0xe8, // jne 0x1000
            0xc3, // ret
        ];
        let code = x86(&code, 0x1000);
        let words: Vec<_> = code.iter().map(|instruction| instruction.mnemonic.as_str()).collect();
        assert_eq!(words, ["mov", "rdtsc", "call", "call", "call", "jne", "ret"]);
        assert_eq!(code[0].slot, Some(0x3fe0));
        assert_eq!(code[0].register, code[2].register);
        assert_eq!((code[2].flow, code[2].slot), (Flow::Call(None), None));
        assert_eq!((code[3].flow, code[3].slot), (Flow::Call(None), Some(0x3fe8)));
        assert_eq!(code[4].flow, Flow::Call(Some(0x1100)));
        assert_eq!(code[5].flow, Flow::Jump(Some(0x1000)));
    }

    #[test]
    fn calls_jumps_and_slots_of_aarch64_are_decoded() {
        let code = [
            0x9000_0008_u32, // adrp x8, 0x1000
            0xf940_0908,     // ldr  x8, [x8, #16]
            0xd503_3fdf,     // isb
            0xd53b_e040,     // mrs  x0, cntvct_el0
            0xd63f_0100,     // blr  x8
            0x9400_0010,     // bl   0x1054
            0xb5ff_ff41,     // cbnz x1, 0x1000
        ];
        let code: Vec<_> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let code = aarch64(&code, 0x1000);
        assert_eq!((code[1].slot, code[1].register.as_deref()), (Some(0x1010), Some("8")));
        assert_eq!((code[2].mnemonic.as_str(), code[2].operands.as_str()), ("isb", ""));
        assert_eq!(code[3].mnemonic, "mrs");
        assert_eq!(code[3].operands, "x0, cntvct_el0");
        assert_eq!((code[4].flow, code[4].register.as_deref()), (Flow::Call(None), Some("8")));
        assert_eq!(code[5].flow, Flow::Call(Some(0x1054)));
        assert_eq!(code[6].flow, Flow::Jump(Some(0x1000)));
    }
}
