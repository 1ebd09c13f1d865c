// verdict: proved

extern "C" {
    fn nd_int() -> i32;
}

struct Node {
    value: i32,
    next: Option<Box<Node>>,
}

#[no_mangle]
pub extern "C" fn proof_boxes() {
    let (a, b) = unsafe { (nd_int(), nd_int()) };
    let list = Node { value: a, next: Some(Box::new(Node { value: b, next: None })) };
    let mut last = &list;
    while let Some(next) = &last.next {
        last = next;
    }
    assert!(last.value == b);
    let array = vec![a; 3];
    assert!(array[2] == a && array.len() == 3);
}
