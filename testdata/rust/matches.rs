// verdict: failed

extern "C" {
    fn nd_uint8_t() -> u8;
}

#[derive(Clone, Copy, PartialEq)]
enum Op {
    Push(u8),
    Pop,
    Add,
}

fn decode(code: u8) -> Option<Op> {
    match code {
        0 => Some(Op::Pop),
        1 => Some(Op::Add),
        2..=100 => Some(Op::Push(code - 2)),
        _ => None,
    }
}

#[no_mangle]
pub extern "C" fn proof_matches() {
    let code = unsafe { nd_uint8_t() };
    match decode(code) {
        Some(Op::Push(v)) => assert!(v < 99),
        Some(Op::Pop) => assert!(code == 0),
        Some(Op::Add) if code == 1 => {}
        Some(Op::Add) => unreachable!(),
        None => assert!(code > 101), // want failed assertion
    }
    let other = unsafe { nd_uint8_t() };
    match other % 3 {
        0 | 1 => {}
        2 => panic!("two"), // want failed assertion
        _ => unreachable!(),
    }
}
