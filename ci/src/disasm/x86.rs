//! Decodes x86-64 with `iced-x86`.

use super::code::{Flow, Instruction};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Formatter, IntelFormatter, OpKind};

/// Decodes machine code that starts at an address.
pub fn decode(code: &[u8], address: u64) -> Vec<Instruction> {
    let mut formatter = IntelFormatter::new();
    Decoder::with_ip(64, code, address, DecoderOptions::NONE)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_jumps_and_slots_are_decoded() {
        let code = [
            0x48, 0x8b, 0x1d, 0xd9, 0x2f, 0x00, 0x00, // mov rbx, [rip + 0x2fd9]
            0x0f, 0x31, // rdtsc
            0xff, 0xd3, // call rbx
            0xff, 0x15, 0xd7, 0x2f, 0x00, 0x00, // call [rip + 0x2fd7]
            0xe8, 0xea, 0x00, 0x00, 0x00, // call 0x1100
            0x75, 0xe8, // jne 0x1000
            0xc3, // ret
        ];
        let code = decode(&code, 0x1000);
        let words: Vec<_> = code.iter().map(|instruction| instruction.mnemonic.as_str()).collect();
        assert_eq!(words, ["mov", "rdtsc", "call", "call", "call", "jne", "ret"]);
        assert_eq!(code[0].slot, Some(0x3fe0));
        assert_eq!(code[0].register, code[2].register);
        assert_eq!((code[2].flow, code[2].slot), (Flow::Call(None), None));
        assert_eq!((code[3].flow, code[3].slot), (Flow::Call(None), Some(0x3fe8)));
        assert_eq!(code[4].flow, Flow::Call(Some(0x1100)));
        assert_eq!(code[5].flow, Flow::Jump(Some(0x1000)));
    }
}
