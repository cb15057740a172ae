import type { Action, Explanation } from '../decision.ts';
import type { Envelope } from '../plan/envelope.ts';
import { type Revision, revisionOf } from '../revision/revision.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { declaredImageOf } from '../pod/recreated.ts';
import { revisionHashes } from './content.ts';
import type { HotPair, HotPhase } from './hot-pair.ts';
import { nameOf, type Unit } from './unit.ts';
import { type PodWrite, resetPod, takeBackPod } from './update-pod.ts';
import { contentOf, type SidecarSetView } from './view.ts';

/**
 * What ends hot upgrades that are in progress (OpenKruise sidecarset, rules 6.7.7 and 6.10). Both halves of an upgrade are one
 * update: a reset is allowed whatever a step allows, and needs no budget. An upgrade that is not complete is taken back where the
 * rollout has halted, and where it does not lead to the goal. That needs no budget either: the pod becomes available again.
 */
export function hotRound(
  view: SidecarSetView,
  envelope: Pick<Envelope, 'goal' | 'hasEnded' | 'moving' | 'newPods' | 'reason'>,
  now: number,
): { actions: Action[]; explanations: Explanation[] } {
  const actions: Action[] = [];
  const explanations: Explanation[] = [];
  const isProceeding = envelope.moving || envelope.newPods !== undefined;
  for (const unit of view.units) {
    const { hot } = unit;
    if (!hot.isChanging) continue;
    const hash = view.hashOf(unit);
    const at = revisionOf(view, hash);
    const isUnwanted = envelope.hasEnded === true || (isProceeding && hash !== envelope.goal);
    let write: PodWrite | undefined;
    if (hot.isResetDue) write = resetPod(unit, view.spec.name, at && contentOf(view, at), now);
    else if (isUnwanted && !unit.isBusy)
      write = takenBack(
        view,
        unit,
        envelope.hasEnded === true ? 'the rollout has halted' : envelope.reason,
        now,
      );
    if (write === undefined) explanations.push({ about: nameOf(unit.pod), reason: phaseText(unit) });
    else if ('refused' in write)
      explanations.push({ about: nameOf(unit.pod), reason: `stays: ${write.refused}` });
    else actions.push(write);
  }
  return { actions, explanations };
}

/** Takes a pod whose hot upgrade is not complete back to the revision that it was on before. */
function takenBack(view: SidecarSetView, unit: Unit, reason: string, now: number): PodWrite {
  const before = revisionBefore(view, unit);
  if (before === undefined) return { refused: 'the revision that its old container is of does not exist' };
  return takeBackPod(unit, contentOf(view, before), reason, now);
}

/**
 * The revision that a pod was on before its hot upgrade: by its record, or by the images of its old halves where another runtime
 * began the upgrade.
 */
function revisionBefore(view: SidecarSetView, unit: Unit): Revision | undefined {
  const { from, hot, pod } = unit;
  const recorded = from && revisionOf(view, view.hashOf({ record: from }));
  if (recorded !== undefined) return recorded;
  const old = hot.pairs.map(({ name, working, other, isChanging }) => ({
    name,
    image: declaredImageOf(pod, isChanging ? other : working),
  }));
  return view.revisions.findLast(({ template, object }) => {
    if (revisionHashes(object).imageless !== unit.record.imageless) return false;
    const containers = listOf(objectOf(template['spec'])['containers']);
    return old.every(
      ({ name, image }) => textOf(containers.find((each) => each['name'] === name)?.['image']) === image,
    );
  });
}

function phaseText({ hot }: Unit): string {
  const changing = hot.pairs.filter(({ isChanging }) => isChanging);
  return changing.map((pair) => PHASE_TEXTS[pair.phase](pair)).join('; ');
}

const PHASE_TEXTS: Readonly<Record<HotPhase, (pair: HotPair) => string>> = {
  Idle: ({ working }) => `${working} works`,
  Upgrading: ({ working, other }) => `${working} starts, and ${other} works until it has taken over`,
  Migrating: ({ working, other }) => `${working} runs, and ${other} works until it is ready`,
  Resetting: ({ working }) => `${working} is ready, and waits for the other containers of the set`,
  Failed: ({ working, other }) => `${working} has restarted before it was ready, and ${other} works on`,
};
