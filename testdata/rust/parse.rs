// verdict: failed

extern "C" {
    fn nd_uint8_t() -> u8;
}

#[derive(PartialEq)]
enum Wrong {
    Empty,
    Digit,
    Large,
}

fn parse(text: &[u8]) -> Result<u8, Wrong> {
    if text.is_empty() {
        return Err(Wrong::Empty);
    }
    let mut n = 0u8;
    for c in text {
        if !c.is_ascii_digit() {
            return Err(Wrong::Digit);
        }
        n = n.checked_mul(10).and_then(|n| n.checked_add(c - b'0')).ok_or(Wrong::Large)?;
    }
    Ok(n)
}

fn careless(text: &[u8]) -> u8 {
    let mut n = 0u8;
    for c in text {
        let digit = c - b'0'; // want failed assertion
        n = n * 10 + digit; // want failed assertion
    }
    n
}

#[no_mangle]
pub extern "C" fn proof_parse() {
    let text = unsafe { [nd_uint8_t(), nd_uint8_t(), nd_uint8_t()] };
    match parse(&text) {
        Ok(n) => assert!(n == 100 * (text[0] - b'0') + 10 * (text[1] - b'0') + (text[2] - b'0')),
        Err(Wrong::Empty) => unreachable!(),
        Err(e) => assert!(e == Wrong::Digit || text[0] >= b'2'),
    }
    assert!(matches!(parse(b"255"), Ok(255)));
    assert!(matches!(parse(b"256"), Err(Wrong::Large)));
    careless(&text);
}
