import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import { internalError } from '../../semantics/plan/held.ts';
import { reconcile, type Reconciled, rolledOf } from '../../semantics/reconcile/reconcile.ts';
import { attempt } from '../act/attempt.ts';
import { BEHIND_MS } from '../act/catch-up.ts';
import { portion } from '../act/portion.ts';
import { planResource } from '../observe/plan-resources.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { tidyCommands } from '../plan/commands.ts';
import { reportOrphans } from '../plan/orphans.ts';
import { sendEvents } from '../report/events.ts';
import { lookReport } from '../report/look.ts';
import { act } from './act.ts';
import { type Gathered, gather, observe, type Sight } from './gather.ts';
import { leave, publish, tell } from './publish.ts';
import { record } from './record.ts';
import { FIELD_MANAGER, type PassTools, type Subject } from './tools.ts';

/** While a target has more to do than one pass carries out, its status is written this often. */
const STATUS_MS = 1_000;
/** How often a target that was too large is looked at again: what takes the room may have gone. */
const OVERSIZED_MS = 60_000;

/**
 * One pass over one target: it observes, writes what must be remembered, and acts only in a pass after that.
 *
 * @param about the kinds that are looked after, and which errors this program made itself
 * @returns a function that resolves with true where the target was looked at to the end
 */
export function createPass(
  tools: PassTools,
  about: { looksAfter: readonly Kind[]; isOwnError(error: unknown): boolean },
): (key: TargetKey) => Promise<boolean> {
  const { caches, states, surroundings } = tools;
  return async (key) => {
    if (!caches.synced) return false;
    const kind = about.looksAfter.find((each) => each === kindOf(key));
    const target = caches.target(key);
    if (kind === undefined || target === undefined) {
      await forget(tools, key, kind !== undefined);
      return true;
    }
    const subject: Subject = { key, kind, target, state: states.of(key) };
    if (await isBehind(tools, subject)) return false;
    try {
      return await examine(tools, subject);
    } catch (error) {
      // Where that cannot be shown either, the error itself is what the log is about.
      if (about.isOwnError(error)) await attempt(() => leave(tools, subject, internalError(error)));
      throw error;
    } finally {
      surroundings.ended(key);
    }
  };
}

/** The target is not there, or is none of ours: whoever plans it is answered. */
async function forget(
  { options, cluster, caches, clock, surroundings, ask }: PassTools,
  key: TargetKey,
  isKnown: boolean,
): Promise<void> {
  surroundings.forget(key);
  options.onLook?.({ key, gone: true, plan: undefined, held: undefined });
  const now = clock.now();
  const next = await reportOrphans({ cluster, caches, key, isKnown, now, fieldManager: FIELD_MANAGER });
  if (next !== undefined) ask(key, Math.max(next - clock.now(), 0));
}

/** Whether the caches do not show yet what the target was decided on before. */
async function isBehind(tools: PassTools, subject: Subject): Promise<boolean> {
  const { options, cluster, clock, ask } = tools;
  const { key, kind, target, state } = subject;
  const basis = [kind.resource, resources.Pod, planResource(key)];
  const { waits, held, discarded } = state.catchUp.check(target, basis);
  if (waits) ask(key, BEHIND_MS);
  if (discarded !== undefined) {
    options.onDiscarded?.(key, discarded.message);
    await sendEvents(cluster, target, [{ type: 'Warning', ...discarded }], clock.now());
  }
  if (waits && held !== undefined) await leave(tools, subject, held);
  return waits;
}

async function examine(tools: PassTools, subject: Subject): Promise<boolean> {
  const { clock, surroundings, ask, room } = tools;
  const now = clock.now();
  const sight = observe(tools, subject, now);
  switch (sight.is) {
    case 'oversized':
      await leave(tools, subject, sight.held, sight.isShown);
      ask(subject.key, OVERSIZED_MS);
      return true;
    case 'unknown':
      if (sight.held !== undefined) await leave(tools, subject, sight.held);
      return false;
    case 'seen':
  }
  await room(subject.key, sight.pods);
  const gathered = gather(tools, subject, sight);
  const decided = consider(tools, subject, sight, gathered, now);
  switch (decided.do) {
    case 'nothing':
      surroundings.forget(subject.key);
      return true;
    case 'hold':
      await leave(tools, subject, decided.held);
      return true;
    case 'record':
      return record(tools, subject, decided);
    case 'act':
      await carryOut(tools, subject, gathered, decided, now);
      return true;
  }
}

/** What is to be done; a plan that waits for nothing but a slot takes one, if there is one. */
function consider(
  { surroundings }: PassTools,
  { key, state }: Subject,
  { snapshot }: Extract<Sight, { is: 'seen' }>,
  { side }: Gathered,
  now: number,
): Reconciled {
  let decided = reconcile(snapshot, side, now);
  const first = rolledOf(decided);
  if (first !== undefined && surroundings.enterQueue(key, first.result))
    decided = reconcile(snapshot, { ...side, around: { ...side.around, queued: undefined } }, now);
  const rolled = rolledOf(decided);
  if (rolled === undefined) return decided;
  surroundings.settle(key, rolled.view, rolled.result);
  state.ticker = rolled.result.ticker;
  return decided;
}

/** Does what was decided, says so, and asks for the next pass. */
async function carryOut(
  tools: PassTools,
  subject: Subject,
  gathered: Gathered,
  decided: Extract<Reconciled, { do: 'act' }>,
  now: number,
): Promise<void> {
  const { options, cluster, clock, caches, surroundings, ask } = tools;
  const { key, target, state } = subject;
  const {
    because,
    held,
    rolled: { view, result },
  } = decided;
  await tell(tools, subject, result);
  options.onLook?.(lookReport(key, target, result, held, now));
  const actions = portion(decided.actions, view.pods.length);
  // A write that is refused must not keep the status from telling what is there.
  const failure = await attempt(() => act(tools, subject, { actions, because, result }));
  await sendEvents(cluster, target, state.talk.news(decided.events), clock.now());
  const isPart = actions.length < decided.actions.length;
  if (isPart && failure === undefined && clock.monotonic() - (state.statusAt ?? 0) < STATUS_MS) {
    ask(key);
    return;
  }
  const heldAt = await publish(tools, subject, gathered, decided);
  if (failure !== undefined) throw failure.error;
  if (!isPart && surroundings.notRefused(key)) ask(key);
  const forgetAt = await tidyCommands({ cluster, caches, key, now, fieldManager: FIELD_MANAGER });
  await act(tools, subject, { actions: decided.afterwards });
  const next = [decided.lookAgainAt, forgetAt, heldAt].filter((at) => at !== undefined);
  if (isPart) ask(key);
  else if (next.length > 0) ask(key, Math.max(Math.min(...next) - clock.now(), 0));
}
