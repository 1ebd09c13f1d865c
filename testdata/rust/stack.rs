// verdict: failed

extern "C" {
    fn nd_int() -> i32;
    fn nd_size_t() -> usize;
    fn assume(c: bool);
}

struct Stack<T, const N: usize> {
    items: [Option<T>; N],
    n: usize,
}

impl<T: Copy, const N: usize> Stack<T, N> {
    fn new() -> Self {
        Stack { items: [None; N], n: 0 }
    }

    fn push(&mut self, x: T) {
        self.items[self.n] = Some(x); // want failed assertion
        self.n += 1;
    }

    fn pop(&mut self) -> Option<T> {
        if self.n == 0 {
            return None;
        }
        self.n -= 1;
        self.items[self.n].take()
    }
}

#[no_mangle]
pub extern "C" fn proof_stack() {
    let mut s: Stack<i32, 3> = Stack::new();
    let n = unsafe { nd_size_t() };
    unsafe { assume(n <= 4) };
    let mut last = 0;
    for _ in 0..n {
        last = unsafe { nd_int() };
        s.push(last);
    }
    match s.pop() {
        Some(x) => assert!(x == last),
        None => assert!(n == 0),
    }
}
