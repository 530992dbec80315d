// The waits of this project's library for C++. See PROTOCOL.md.
#define WAITS "\"sleep-for\",\"sleep-until\""
#include <chronoscope.hpp>
#include "probe.cpp"

static int make_waits(const char *id, Series *series) {
    bool until = !strcmp(id, "sleep-until");
    if (!until && strcmp(id, "sleep-for"))
        return 0;
    while (int64_t ns = begin(series)) {
        if (until)
            chronoscope::sleep_until(chronoscope::clock::now() + nanoseconds(ns));
        else
            chronoscope::sleep_for(nanoseconds(ns));
        end(series);
    }
    return 1;
}
