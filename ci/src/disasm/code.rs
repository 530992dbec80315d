//! Machine code of any processor.

use std::fmt;

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
