import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import {
  apply,
  approve,
  command,
  commit,
  loseAll,
  patch,
  phase,
  type PlanOptions,
  ready,
  spends,
  standsStill,
  stopped,
  unitsAt,
} from './actions.ts';
import { all, type Change, type ScriptStep, type Subject, type World } from './subject.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const one: Step = { id: 'one', update: { to: 1 } };
const soak: Step = { id: 'soak', soak: { for: '1m' } };
const gate: Step = { id: 'ok', approve: {} };

/**
 * What a plan, a manifest and people ask for, and how long it takes: each is so only where nothing else happens, and is
 * played once.
 */
export function askedOf(subject: Subject, { title, mode, states }: Change): World[] {
  const [first, second] = states;
  const target = first.manifest;
  const size = subject.sizeOf(target);
  const way: PlanOptions = { mode, from: [target] };
  const plan = (...steps: Step[]): ScriptStep => commit(second.manifest, { ...way, steps });
  const begun = [plan(all), unitsAt(second.revision, 1)];
  const { image } = second;
  const { paused } = subject;
  const succeeded: World['end'] = { phase: 'Succeeded', units: { [second.revision]: size } };
  const reverted: World['end'] = {
    phase: 'Reverted',
    units: { [first.revision]: size },
    stable: subject.hashOf(target),
  };
  const world = (
    what: string,
    script: readonly ScriptStep[],
    end = succeeded,
    more: Partial<World> = {},
  ): World => ({
    title: `${title}: ${what}`,
    target,
    script,
    end,
    ...more,
  });
  return [
    world('nothing moves before there is a plan', [apply(second.manifest), standsStill, plan(all)]),
    world('paused by a command, and resumed', [...begun, ...stopped(command('Pause'), command('Resume'))]),
    ...(paused === undefined
      ? []
      : [
          world('paused by its own field, and set free', [
            ...begun,
            ...stopped(patch(paused(true)), patch(paused(false))),
          ]),
          world(
            'paused by its own field as it goes back, and set free',
            [
              plan(all),
              unitsAt(second.revision, 3),
              apply(target),
              ...stopped(patch(paused(true)), patch(paused(false))),
            ],
            reverted,
          ),
        ]),
    world('a soak takes its time', [plan(one, soak, all), spends('Soaking', MINUTE, MINUTE + 2 * SECOND)]),
    world('units that are lost at an approval come back where they were', [
      plan(one, gate, all),
      phase('AwaitingApproval'),
      loseAll(first.revision),
      ready(size),
      approve('ok'),
    ]),
    world('aborted at an approval, it goes on only as another attempt', [
      plan(one, gate, all),
      phase('AwaitingApproval'),
      command('Abort'),
      phase('Aborted'),
      standsStill,
      commit(second.manifest, { ...way, steps: [all], from: [second.manifest, target] }),
      standsStill,
      commit(second.manifest, { ...way, from: [second.manifest, target], attempt: 2 }),
    ]),
    ...(image === undefined
      ? []
      : [
          world(
            'a unit that never serves is waited for ten minutes, and all go back',
            [
              plan({ ...one, onFailure: 'Revert' }, all),
              spends('Running', 10 * MINUTE, 11 * MINUTE),
              phase('Reverted'),
              standsStill,
            ],
            reverted,
            { prepare: (sandbox) => sandbox.images.set(image, { neverReady: true }) },
          ),
          world(
            'a unit that fails in a soak brings all back',
            [
              plan({ ...one, onFailure: 'Revert' }, { ...soak, soak: { for: '10m' } }, all),
              phase('Reverted'),
            ],
            reverted,
            { prepare: (sandbox) => sandbox.images.set(image, { crashAfterMs: 90 * SECOND }) },
          ),
        ]),
  ];
}
