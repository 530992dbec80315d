//: cxx/steady_clock-nocast for interval
auto t0 = std::chrono::steady_clock::now();
auto d = std::chrono::steady_clock::now() - t0;
//: cxx/steady_clock-nocast for micro
auto t0 = std::chrono::steady_clock::now();
long long ns = std::chrono::nanoseconds(
    std::chrono::steady_clock::now() - t0).count();
//: cxx/steady_clock-nocast for coarse, trace
auto t = std::chrono::steady_clock::now();
//: cxx/steady_clock-nocast for cross-process
auto t = std::chrono::steady_clock::now().time_since_epoch();
//: cxx/system_clock-nocast for timestamp
auto t = std::chrono::system_clock::now();
