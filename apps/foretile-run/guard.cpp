#include "apps/foretile-run/guard.hpp"

#include <fmt/format.h>

namespace foretile {

void run_guarded(const std::function<void(const MpiSession&)>& work) {
  const MpiSession session;
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
