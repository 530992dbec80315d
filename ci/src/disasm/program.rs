//! Reads a program's functions from its ELF file, with `object`.

use super::code::{Flow, Function, Instruction};
use super::decode;
use anyhow::{Context, Result, bail};
use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind, SymbolKind,
};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

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
            Architecture::X86_64 => decode::x86,
            Architecture::Aarch64 => decode::aarch64,
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
            decode: decode::x86,
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
