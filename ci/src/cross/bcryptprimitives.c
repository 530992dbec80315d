// Wine 8 lacks `bcryptprimitives.dll`, from which Rust's standard library gets its random numbers.
// This replacement calls the older function of Windows for the same purpose (documented as
// `RtlGenRandom`, exported as `SystemFunction036`).
unsigned char __stdcall SystemFunction036(void *buffer, unsigned long length);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *buffer, unsigned long long length) {
    while (length) {
        unsigned long part = length > 0x10000000 ? 0x10000000 : (unsigned long)length;
        if (!SystemFunction036(buffer, part)) return 0;
        buffer += part;
        length -= part;
    }
    return 1;
}
