import type { Clock } from '../../schemas/wire/clock.ts';
import type { LogLimiter } from '../report/log-limiter.ts';
import type { Registry } from '../report/registry.ts';

const ALONE = 'let API servers alone reach the port (docs/install.md)';
const WITHOUT =
  'API servers do not delete or change pods whose review must be answered, and create pods without sidecars';

/** Why a request got no review, and what to do about it. */
const reasons = {
  unready: `reviews are asked for before the caches are complete: ${WITHOUT}`,
  memory: `reviews were refused for want of memory: ${WITHOUT}; ${ALONE}`,
  large: `a review of more than 3 MiB was refused: a new pod has no sidecars then: make it smaller, and create it again; a pod of a budget is not deleted or changed: give it pub.kruise.io/no-protect (docs/how-to/budgets.md)`,
  malformed: `requests come that are no review of a pod: the address in the webhook is another one, or somebody else sends them; run kruise admission install again, and ${ALONE}`,
  timeout: `requests did not end in time: ${WITHOUT}; ${ALONE}`,
  closed: `connections were closed before their review was answered: ${WITHOUT}`,
  tls: `connections ended without a handshake: an API server that trusts another authority gets no answer; ${WITHOUT}; run kruise admission install --ca FILE with that of the present certificate, and ${ALONE}`,
  client: `requests came without a client certificate that --client-ca trusts, and got no review: ${WITHOUT}; give each API server one (docs/install.md)`,
  unrecorded: `requests about pods went on although an object that limits them could not be judged or its status not written: more pods may go than it allows; see the errors that follow`,
  off: `requests about pods went on without a review: API servers ask for what this process runs without; run it with the options that kruise admission install had, of --exact-budgets and --spreads, or install with --no-exact-budgets or --no-spreads`,
} as const;

export type UnreviewedReason = keyof typeof reasons;

/** How long a refusal is shown, milliseconds. */
const SHOWN_MS = 60_000;
/** Most pods that are named in a minute: whoever reaches the port chooses their names. */
const MOST_NAMED = 20;

export interface Unreviewed {
  add(reason: UnreviewedReason, about?: string): void;
  /** What `/readyz` says of it; undefined: nothing. */
  shown(): string | undefined;
}

/** Counts and logs the requests that got no review. API servers go on, or refuse: nobody else learns of them. */
export function createUnreviewed(
  registry: Registry<'kruise_admission_unreviewed_total'>,
  log: LogLimiter,
  clock: Clock,
): Unreviewed {
  for (const reason of Object.keys(reasons)) registry.add('kruise_admission_unreviewed_total', [reason], 0);
  let refusedAt = -Infinity;
  let named = { since: -Infinity, count: 0 };

  function isNamed(): boolean {
    const now = clock.monotonic();
    if (now - named.since >= SHOWN_MS) named = { since: now, count: 0 };
    named.count += 1;
    return named.count <= MOST_NAMED;
  }

  return {
    add(reason, about) {
      registry.add('kruise_admission_unreviewed_total', [reason]);
      if (reason === 'memory') refusedAt = clock.monotonic();
      if (about !== undefined && isNamed())
        log.warn(`${reason} ${about}`, `pod ${about}: ${reasons[reason]}`);
      else log.warn(reason, reasons[reason]);
    },
    shown: () =>
      clock.monotonic() - refusedAt < SHOWN_MS
        ? 'reviews were refused for want of memory within the last minute'
        : undefined,
  };
}
