/* The bound that ClockBound states is taken, and ends when it says so. Argument: a file to write. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <chronoscope.h>

static int segment(const char *path, uint32_t status) {
    uint32_t head[4] = {0x414d5a4e, 0x43420200, 104, 0x20303};
    /* Of a counter that does not count, so that only the minute of the bound is between the two. */
    uint64_t words[11] = {0};
    FILE *file = fopen(path, status == 1 ? "wb" : "rb+");
    words[1] = (uint64_t)time(NULL);
    words[3] = words[1] + 3600;
    words[7] = 60000000000u;
    words[9] = (uint64_t)status << 32;
    return file != NULL && fwrite(head, sizeof head, 1, file) == 1 &&
           fwrite(words, sizeof words, 1, file) == 1 && fclose(file) == 0;
}

int main(int count, char **arguments) {
    const char *path = count > 1 ? arguments[1] : "";
    chronoscope_description clock;
    chronoscope_wall_interval told;
    uint64_t now;
    int fine = segment(path, 1) &&
               chronoscope_wall_bound_by(CHRONOSCOPE_BOUND_BY_CLOCKBOUND, path) == CHRONOSCOPE_OK;
    fine = fine && chronoscope_wall_bound_by(CHRONOSCOPE_BOUND_BY_CLOCKBOUND, path) ==
                       CHRONOSCOPE_ALREADY_CHOSEN;
    fine = fine && chronoscope_wall_bounded(&told) == CHRONOSCOPE_OK;
    fine = fine && chronoscope_clock_description(NULL, &clock) == CHRONOSCOPE_OK;
    if (!fine || clock.source != CHRONOSCOPE_SOURCE_COUNTER) {
        return !(fine && told.state == CHRONOSCOPE_WALL_UNKNOWN);
    }
    now = (uint64_t)time(NULL) * 1000000000u;
    fine = fine && told.state == CHRONOSCOPE_WALL_SYNCHRONISED && told.kernel_known;
    fine = fine && told.earliest <= now && now <= told.latest;
    fine = fine && told.latest - told.earliest == 120000000000u;
    fine = fine && segment(path, 3) && chronoscope_wall_checked(&told) == CHRONOSCOPE_OK;
    fine = fine && told.state == CHRONOSCOPE_WALL_DISRUPTED;
    return !(fine && told.earliest == 0 && told.latest == UINT64_MAX);
}
