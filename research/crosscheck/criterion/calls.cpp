// The calls, each in its own function, for a language that cannot inline them.
#include "../calls.hpp"

#include <cstddef>

namespace {

template <class T> uint64_t number(T value) { return static_cast<uint64_t>(value); }
uint64_t number(const timespec &t) { return static_cast<uint64_t>(t.tv_nsec); }

struct Call {
    const char *id;
    uint64_t (*call)();
};

const Call all[] = {
#define CALL(id, name, expression) {id, [] { return number(expression); }},
    CALLS(CALL)
};

} // namespace

extern "C" size_t crosscheck_count() { return sizeof all / sizeof *all; }
extern "C" const char *crosscheck_id(size_t index) { return all[index].id; }
extern "C" auto crosscheck_call(size_t index) -> uint64_t (*)() { return all[index].call; }
