import type { RuntimeConfig } from '../../schemas/generated/types/runtimeconfig.ts';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { CheckRequest, CheckResult } from '../../semantics/plan/rollout-view.ts';
import type { CheckJudgment } from './answer.ts';
import type { Get } from './get.ts';
import { prepareCheck } from './prepared.ts';
import type { PreparedCheck } from './prepared.ts';

/** What one request of a check may take, in all: milliseconds, bytes of the body. */
export const checkLimits = { timeoutMs: 5000, maxBytes: 1024 * 1024 } as const;

/** The named checks of the configuration, asked for whoever wants to know. */
export interface Checks<Key> {
  /** Of all checks there are, sorted. */
  names: readonly string[];
  /** Why a plan cannot use a check with these arguments, as a sentence; undefined when it can. */
  refusal(use: string, args: Readonly<Record<string, string>>): string | undefined;
  /**
   * Asks for `key` from now on and every interval of the check, one request at a time. The same request again changes
   * nothing; another one, or undefined, ends the one before and forgets its result.
   */
  want(key: Key, request: CheckRequest | undefined): void;
  /** What was last answered to the request wanted for `key`. */
  resultOf(key: Key): CheckResult | undefined;
  /** Ends everything; later wants are not heard. */
  stop(): void;
}

interface Watch {
  request: CheckRequest;
  /** Failing answers in a row; no answer neither adds to them nor ends them. */
  failing: number;
  result: CheckResult | undefined;
  cancel: () => void;
  ended: AbortController;
}

/**
 * @param config what `readRuntimeConfig` returned
 * @param onResult hears every result, after `resultOf` says it; never from within a call of these functions
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

  /** What to ask, or why that cannot be asked. */
  function questionOf(
    use: string,
    args: CheckRequest['args'],
    namespace: string,
  ): { check: PreparedCheck; url: string } | { refusal: string } {
    const check = prepared.get(use);
    if (check === undefined) {
      return { refusal: `there is no such check in the configuration; it has ${names.join(', ') || 'none'}` };
    }
    const asked = check.urlFor(args, namespace);
    return 'refusal' in asked ? asked : { check, url: asked.url };
  }

  function end(key: Key): void {
    const watch = watches.get(key);
    if (watch === undefined) return;
    watches.delete(key);
    watch.cancel();
    watch.ended.abort();
  }

  async function ask(key: Key, watch: Watch, check: PreparedCheck, url: string): Promise<void> {
    const next = clock.now() + check.intervalMs;
    const { headers } = check;
    const got = await get(url, { ...checkLimits, headers, signal: watch.ended.signal });
    if (watches.get(key) !== watch) return;
    watch.cancel = clock.after(Math.max(next - clock.now(), 0), () => void ask(key, watch, check, url));
    tell(key, watch, counted(watch, check, check.judge(got)));
  }

  function tell(key: Key, watch: Watch, judgement: CheckJudgment): void {
    const { digest, step } = watch.request;
    watch.result = { digest, step, at: clock.now(), ...judgement };
    onResult(key, watch.result);
  }

  return {
    names,
    refusal(use, args) {
      // Stands for the namespace, which a plan does not choose.
      const question = questionOf(use, args, 'default');
      return 'refusal' in question ? question.refusal : undefined;
    },
    want(key, request) {
      const known = watches.get(key);
      if (stopped || (known !== undefined && request !== undefined && isSame(known.request, request))) return;
      end(key);
      if (request === undefined) return;
      const watch: Watch = {
        request,
        failing: 0,
        result: undefined,
        cancel() {},
        ended: new AbortController(),
      };
      watches.set(key, watch);
      const question = questionOf(request.use, request.args, request.namespace);
      watch.cancel = clock.after(0, () => {
        if ('refusal' in question) tell(key, watch, { is: 'unknown', message: question.refusal });
        else void ask(key, watch, question.check, question.url);
      });
    },
    resultOf: (key) => watches.get(key)?.result,
    stop() {
      stopped = true;
      for (const key of [...watches.keys()]) end(key);
    },
  };
}

/** Too few failing answers in a row do not fail a check: until then it has no answer that counts. */
function counted(watch: Watch, { failures }: PreparedCheck, judgement: CheckJudgment): CheckJudgment {
  if (judgement.is === 'pass') watch.failing = 0;
  if (judgement.is !== 'fail') return judgement;
  watch.failing += 1;
  if (watch.failing >= failures) return judgement;
  const message = `${judgement.message} (${watch.failing} of ${failures} failing answers in a row)`;
  return { ...judgement, is: 'unknown', message };
}

function isSame(a: CheckRequest, b: CheckRequest): boolean {
  const names = Object.keys(a.args);
  return (
    (['digest', 'step', 'use', 'namespace'] as const).every((field) => a[field] === b[field]) &&
    names.length === Object.keys(b.args).length &&
    names.every((name) => a.args[name] === b.args[name])
  );
}
