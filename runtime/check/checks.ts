import type { RuntimeConfig } from '../../schemas/generated/types/runtimeconfig.ts';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { CheckRequest, CheckResult } from '../../semantics/plan/rollout-context.ts';
import type { CheckJudgment } from './answer.ts';
import type { Get } from './get.ts';
import { prepareCheck } from './prepared.ts';
import type { PreparedCheck } from './prepared.ts';

/** The limits of one request of a check: milliseconds in all, bytes of the body. */
export const checkLimits = { timeoutMs: 5000, maxBytes: 1024 * 1024 } as const;

/** Runs the named checks of the configuration for the steps that wait for them. */
export interface Checks<Key> {
  /** The names of all checks, sorted. */
  names: readonly string[];
  /** Why a plan cannot use a check with these arguments, as a sentence; undefined: it can. */
  refusal(use: string, args: Readonly<Record<string, string>>): string | undefined;
  /**
   * Runs the check for `key` now and at every interval, one request at a time. The same request again changes nothing; another
   * one, or undefined, cancels the former one and deletes its result.
   */
  want(key: Key, request: CheckRequest | undefined): void;
  /** The last result of the check that runs for `key`. */
  resultOf(key: Key): CheckResult | undefined;
  /** Cancels all requests; later calls of `want` do nothing. */
  stop(): void;
}

interface Watch {
  request: CheckRequest;
  /** Failing answers in a row; a request without an answer neither adds to them nor resets them. */
  failing: number;
  result: CheckResult | undefined;
  cancel: () => void;
  ended: AbortController;
}

/**
 * @param config returned by `readRuntimeConfig`
 * @param onResult called with every result, after `resultOf` returns it; never synchronously by these functions
 */
export function createChecks<Key>({
  config,
  clock,
  get,
  onResult,
}: {
  config: RuntimeConfig;
  clock: Clock;
  get: Get;
  onResult: (key: Key, result: CheckResult) => void;
}): Checks<Key> {
  const prepared = new Map(config.checks.map((check) => [check.name, prepareCheck(check)]));
  const names = [...prepared.keys()].sort();
  const watches = new Map<Key, Watch>();
  let stopped = false;

  /** The check and its URL, or why the arguments are refused. */
  function preparedFor(
    use: string,
    args: CheckRequest['args'],
    namespace: string,
  ): { check: PreparedCheck; url: string } | { refusal: string } {
    const check = prepared.get(use);
    if (check === undefined) {
      return { refusal: `the configuration has no such check; it has ${names.join(', ') || 'none'}` };
    }
    const filled = check.urlFor(args, namespace);
    return 'refusal' in filled ? filled : { check, url: filled.url };
  }

  function end(key: Key): void {
    const watch = watches.get(key);
    if (watch === undefined) return;
    watches.delete(key);
    watch.cancel();
    watch.ended.abort();
  }

  async function request(key: Key, watch: Watch, check: PreparedCheck, url: string): Promise<void> {
    const next = clock.now() + check.intervalMs;
    const { headers } = check;
    const got = await get(url, { ...checkLimits, headers, signal: watch.ended.signal });
    if (watches.get(key) !== watch) return;
    watch.cancel = clock.after(Math.max(next - clock.now(), 0), () => void request(key, watch, check, url));
    report(key, watch, counted(watch, check, check.judge(got)));
  }

  function report(key: Key, watch: Watch, judgment: CheckJudgment): void {
    const { digest, step } = watch.request;
    watch.result = { digest, step, at: clock.now(), ...judgment };
    onResult(key, watch.result);
  }

  return {
    names,
    refusal(use, args) {
      // Any namespace will do here: it is not an argument of the plan.
      const found = preparedFor(use, args, 'default');
      return 'refusal' in found ? found.refusal : undefined;
    },
    want(key, wanted) {
      const known = watches.get(key);
      if (stopped || (known !== undefined && wanted !== undefined && isSame(known.request, wanted))) return;
      end(key);
      if (wanted === undefined) return;
      const watch: Watch = {
        request: wanted,
        failing: 0,
        result: undefined,
        cancel() {},
        ended: new AbortController(),
      };
      watches.set(key, watch);
      const found = preparedFor(wanted.use, wanted.args, wanted.namespace);
      watch.cancel = clock.after(0, () => {
        if ('refusal' in found) report(key, watch, { is: 'unknown', message: found.refusal });
        else void request(key, watch, found.check, found.url);
      });
    },
    resultOf: (key) => watches.get(key)?.result,
    stop() {
      stopped = true;
      for (const key of [...watches.keys()]) end(key);
    },
  };
}

/** A check fails only after `failures` failing answers in a row; the earlier ones count as unknown. */
function counted(watch: Watch, { failures }: PreparedCheck, judgment: CheckJudgment): CheckJudgment {
  if (judgment.is === 'pass') watch.failing = 0;
  if (judgment.is !== 'fail') return judgment;
  watch.failing += 1;
  if (watch.failing >= failures) return judgment;
  const message = `${judgment.message} (${watch.failing} of ${failures} failing answers in a row)`;
  return { ...judgment, is: 'unknown', message };
}

function isSame(a: CheckRequest, b: CheckRequest): boolean {
  const names = Object.keys(a.args);
  return (
    (['digest', 'step', 'use', 'namespace'] as const).every((field) => a[field] === b[field]) &&
    names.length === Object.keys(b.args).length &&
    names.every((name) => a.args[name] === b.args[name])
  );
}
