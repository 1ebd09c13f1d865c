// verdict: failed

use std::cell::RefCell;
use std::rc::Rc;

extern "C" {
    fn nd_bool() -> bool;
}

#[no_mangle]
pub extern "C" fn proof_cells() {
    let shared = Rc::new(RefCell::new(1));
    let other = Rc::clone(&shared);
    *other.borrow_mut() += 1;
    assert!(*shared.borrow() == 2);
    let held = if unsafe { nd_bool() } { Some(shared.borrow()) } else { None };
    *other.borrow_mut() = 3; // want failed assertion
    assert!(held.is_none());
}
