//! Machine code, whichever processor it is for.

use std::fmt;

/// Where the processor continues after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With the next one.
    Next,
    /// Perhaps elsewhere: at this address, if it is in the instruction.
    Jump(Option<u64>),
    /// In a function, which returns: at this address, if it is in the instruction.
    Call(Option<u64>),
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub address: u64,
    /// In lower case, without prefixes such as `lock`.
    pub mnemonic: String,
    pub operands: String,
    pub flow: Flow,
    /// The fixed address in memory that it reads: of a variable, or of a slot that the loader
    /// fills.
    pub slot: Option<u64>,
    /// The register that it loads from there, or through which it calls or jumps.
    pub register: Option<String>,
    /// The name of what it calls, jumps to or reads.
    pub symbol: Option<String>,
}

impl Instruction {
    pub fn is_call(&self) -> bool {
        matches!(self.flow, Flow::Call(_))
    }
}

/// One function.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub code: Vec<Instruction>,
}

impl Function {
    /// The code from the target of each branch backwards to that branch.
    pub fn loops(&self) -> impl Iterator<Item = &[Instruction]> {
        self.code
            .iter()
            .enumerate()
            .filter_map(|(end, instruction)| {
                let Flow::Jump(Some(target)) = instruction.flow else {
                    return None;
                };
                let start = self.code.iter().position(|i| i.address == target)?;
                self.code.get(start..=end).filter(|code| !code.is_empty())
            })
    }

    /// The name of the function that a call calls. If it calls through a register, the last load
    /// into that register decides, wherever it is in the function: compilers move such loads out of
    /// loops.
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
        for it in &self.code {
            write!(f, "  {:x}  {} {}", it.address, it.mnemonic, it.operands)?;
            match &it.symbol {
                Some(symbol) => writeln!(f, "  ; {symbol}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}
