//! The kernel's lists of CPUs and nodes, such as `0-3,8` (kernel, `bitmap_parselist`).

/// More than any kernel's NR_CPUS; a list with a higher number is garbage.
const MOST: usize = 1 << 16;

/// The numbers in a list, in its order; `None` if it is not a list.
pub fn parse(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.trim().is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.trim().parse().ok()?;
        let last: usize = last.trim().parse().ok()?;
        if last >= MOST || first > last || numbers.len() + (last - first) >= MOST {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse("0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse("0"), Some(vec![0]));
        assert_eq!(parse(""), Some(vec![]));
        for bad in ["a", "3-1", "0-999999999999", "0-65535,0-65535", "-1", "1-", "0x1"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in ".*") {
            let _ = parse(&text);
        }
    }
}
