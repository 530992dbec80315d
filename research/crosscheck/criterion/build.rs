fn main() {
    println!("cargo:rerun-if-changed=../calls.hpp");
    println!("cargo:rerun-if-changed=calls.cpp");
    cc::Build::new().cpp(true).std("c++17").opt_level(2).file("calls.cpp").compile("calls");
}
