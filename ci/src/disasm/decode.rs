//! Decodes machine code: x86-64 with `iced-x86`, and AArch64 with `yaxpeax-arm`.

use super::code::{Flow, Instruction};
use iced_x86::{
    Decoder as X86Decoder, DecoderOptions, FlowControl, Formatter, IntelFormatter, OpKind,
};
use std::collections::HashMap;
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Opcode, Operand};

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
