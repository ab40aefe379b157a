// A small pool of sleeping threads. Work is cut into chunks that the threads which are awake take one after the other, the
// caller first of all: a worker whose core is busy elsewhere is never waited for unless it holds a chunk. Results are
// exact integer sums or belong to one chunk alone, so it does not matter which thread did what.
#pragma once

#include <algorithm>
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
#include <pthread.h>
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
    // The pool of this process. No lock is taken to find it: whichever thread forks, a child can hold none that is never released.
    static Pool& here() {
        Pool* pool = current_.load(std::memory_order_acquire);
        if (pool) return *pool;
        Pool* own = new Pool;  // never deleted: its threads sleep until the process ends
        if (current_.compare_exchange_strong(pool, own, std::memory_order_acq_rel)) return *own;
        delete own;  // another thread was faster
        return *pool;
    }

    // A child after fork() has none of its parent's threads, and its parent's locks may be held for ever: it starts anew.
    static void forget() { current_.store(nullptr, std::memory_order_release); }

    // Runs job(slot) in the caller (slot 0) and in up to n_threads - 1 workers that wake up in time. If another
    // thread is using the pool already, or no thread can be started, the caller works alone. What a worker throws is
    // thrown to the caller.
    void run(int n_threads, const std::function<void(int)>& job) {
        std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
        if (!turn.owns_lock() || n_threads <= 1) {
            job(0);
            return;
        }
        {
            std::lock_guard<std::mutex> lock(state_);
            while (n_workers_ < n_threads - 1 && start_worker()) n_workers_++;
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
        wanted_ = 0;  // workers that are not awake by now are not needed
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

    inline static std::atomic<Pool*> current_{nullptr};

    // Where threads are limited, or there is no memory for another stack, those that are there do the work.
    bool start_worker() {
        try {
            std::thread([this] { work(); }).detach();
            return true;
        } catch (const std::exception&) {
            return false;
        }
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

#ifndef _WIN32
inline const int forget_when_forked = pthread_atfork(nullptr, nullptr, Pool::forget);
#endif

// Trainings that run side by side, each in a thread of its own, and share the threads.
inline std::atomic<int> trainings_side_by_side{0};
inline void count_training(int change) { trainings_side_by_side += change; }
inline int threads_of_training(int n_threads) { return n_threads / std::max(1, trainings_side_by_side.load(std::memory_order_relaxed)); }

// work(chunk, slot) for every chunk; slots are numbered below n_threads and never used by two threads at a time.
template <typename Work>
void for_chunks(int64_t n_chunks, int n_threads, Work work) {
    n_threads = threads_of_training(n_threads);
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
