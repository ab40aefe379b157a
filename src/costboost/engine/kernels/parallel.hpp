// A small pool of sleeping threads. Work is cut into chunks that whoever is awake takes one after the other, the
// caller first of all: a worker whose core is busy elsewhere is never waited for unless it holds a chunk. Results are
// exact integer sums or belong to one chunk alone, so it does not matter who did what.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifndef _WIN32
#include <unistd.h>
#endif

namespace costboost {

// Threads that OpenMP would use here, so that threadpoolctl, OMP_NUM_THREADS and nesting are respected.
inline int offered_threads() {
#ifdef _OPENMP
    return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
    const unsigned n = std::thread::hardware_concurrency();
    return n ? static_cast<int>(n) : 1;
#endif
}

class Pool {
  public:
    // The pool of this process: a child after fork() has none of its parent's threads and starts its own.
    static Pool& here() {
        static std::mutex guard;
        static Pool* pool = nullptr;
        static long owner = 0;
        std::lock_guard<std::mutex> lock(guard);
        if (!pool || owner != process()) {
            pool = new Pool;  // never deleted: its threads sleep until the process ends
            owner = process();
        }
        return *pool;
    }

    // Runs job(slot) in the caller (slot 0) and in up to n_threads - 1 workers that wake up in time. If another
    // thread is using the pool already, the caller works alone.
    void run(int n_threads, const std::function<void(int)>& job) {
        std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
        if (!turn.owns_lock() || n_threads <= 1) {
            job(0);
            return;
        }
        {
            std::lock_guard<std::mutex> lock(state_);
            for (; n_workers_ < n_threads - 1; n_workers_++) std::thread([this] { work(); }).detach();
            job_ = &job;
            round_++;
            wanted_ = n_threads - 1;
            joined_ = 0;
            failure_ = nullptr;
        }
        wake_.notify_all();
        std::exception_ptr own;
        try {
            job(0);
        } catch (...) {
            own = std::current_exception();
        }
        std::unique_lock<std::mutex> lock(state_);
        wanted_ = 0;  // who is not awake by now need not come
        done_.wait(lock, [this] { return active_ == 0; });
        if (own) std::rethrow_exception(own);
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    std::mutex turn_, state_;
    std::condition_variable wake_, done_;
    const std::function<void(int)>* job_ = nullptr;
    uint64_t round_ = 0;
    int n_workers_ = 0, wanted_ = 0, joined_ = 0, active_ = 0;
    std::exception_ptr failure_;

    static long process() {
#ifdef _WIN32
        return 1;
#else
        return static_cast<long>(getpid());
#endif
    }

    void work() {
        uint64_t seen = 0;
        std::unique_lock<std::mutex> lock(state_);
        for (;;) {
            wake_.wait(lock, [&] { return round_ != seen && joined_ < wanted_; });
            seen = round_;
            const int slot = ++joined_;
            active_++;
            const std::function<void(int)>& job = *job_;
            lock.unlock();
            std::exception_ptr failure;
            try {
                job(slot);
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            if (failure) failure_ = failure;
            if (--active_ == 0) done_.notify_one();
        }
    }
};

// work(chunk, slot) for every chunk; slots are numbered below n_threads and never used by two threads at a time.
template <typename Work>
void for_chunks(int64_t n_chunks, int n_threads, Work work) {
    if (n_threads <= 1 || n_chunks <= 1) {
        for (int64_t c = 0; c < n_chunks; c++) work(c, 0);
        return;
    }
    std::atomic<int64_t> next{0};
    Pool::here().run(static_cast<int>(std::min<int64_t>(n_threads, n_chunks)), [&](int slot) {
        for (int64_t c = next++; c < n_chunks; c = next++) work(c, slot);
    });
}

}  // namespace costboost
