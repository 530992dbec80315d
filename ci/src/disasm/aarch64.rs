//! Decodes AArch64 with `yaxpeax-arm`.

use super::code::{Flow, Instruction};
use std::collections::HashMap;
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Opcode, Operand};

/// The size of every instruction, in bytes.
const SIZE: u64 = 4;

/// Decodes machine code that starts at an address.
pub fn decode(code: &[u8], address: u64) -> Vec<Instruction> {
    let mut pages = HashMap::new();
    code.chunks_exact(SIZE as usize)
        .zip((address..).step_by(SIZE as usize))
        .map(|(word, address)| one(word, address, &mut pages))
        .collect()
}

/// Decodes one instruction. A memory address is the address of a page (`adrp`) plus an offset in a
/// later instruction; `pages` contains the registers that hold page addresses.
fn one(word: &[u8], address: u64, pages: &mut HashMap<u16, u64>) -> Instruction {
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
    fn calls_jumps_and_slots_are_decoded() {
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
        let code = decode(&code, 0x1000);
        assert_eq!((code[1].slot, code[1].register.as_deref()), (Some(0x1010), Some("8")));
        assert_eq!((code[2].mnemonic.as_str(), code[2].operands.as_str()), ("isb", ""));
        assert_eq!(code[3].mnemonic, "mrs");
        assert_eq!(code[3].operands, "x0, cntvct_el0");
        assert_eq!((code[4].flow, code[4].register.as_deref()), (Flow::Call(None), Some("8")));
        assert_eq!(code[5].flow, Flow::Call(Some(0x1054)));
        assert_eq!(code[6].flow, Flow::Jump(Some(0x1000)));
    }
}
