#include "apps/foretile-run/guard.hpp"

#include <fmt/format.h>

#include "apps/foretile-run/job_signals.hpp"

namespace foretile {

void run_guarded(const std::function<void(const MpiSession&)>& work) {
  const MpiSession session;
  const AbortOnSignals abort_on_signals;
  try {
    work(session);
  } catch (const AgreedError& agreed) {
    std::rethrow_exception(agreed.error);
  } catch (const FailedElsewhere&) {
    throw;
  } catch (const std::exception& error) {
    fmt::print(stderr, "foretile-run: rank {}: {}\n", session.rank(), error.what());
    MPI_Abort(session.world(), 1);
  }
}

}  // namespace foretile
