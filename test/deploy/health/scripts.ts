import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Kind } from '../../../semantics/kinds/kind.ts';
import { isPlanned, planRulesOf } from '../../../semantics/kinds/kind.ts';
import { manifestOf, sampleOf } from './manifests.ts';
import { recorded, type Recorded, type Site, standing } from './record.ts';

/** What is played of each kind: together, a plan of it is in every phase. */
export const scripts: readonly ((site: Site) => Promise<void>)[] = [
  async function approved(site) {
    await begin(site);
    await site.manifest('web:2');
    await site.run(2);
    await site.plan(at(site, 'web:2'), at(site, 'web:1'));
    await site.until('AwaitingApproval');
    await site.command('Pause');
    await site.run(1);
    await site.command('Resume');
    await site.run(1);
    await site.command('Approve');
    await site.until('Succeeded');
    await site.run(1);
  },
  async function takenBack(site) {
    await begin(site);
    await rollOut(site, 'web:2');
    await site.until('Soaking');
    await site.manifest('web:1');
    await site.run(5);
  },
  async function failed(site) {
    await begin(site);
    await rollOut(site, 'web:bad');
    await site.until('Halted');
    await site.run(1);
    await site.command('Revert');
    await site.run(5);
  },
  async function aborted(site) {
    await begin(site);
    await rollOut(site, 'web:2');
    await site.until('Soaking');
    await site.command('Abort');
    await site.run(1);
  },
  async function planAlone(site) {
    await begin(site);
    await site.manifest('web:1');
    await site.plan(at(site, 'web:2'), at(site, 'web:1'));
    await site.run(12);
    await site.manifest('web:3');
    await site.run(4);
  },
  async function planGone(site) {
    await begin(site);
    await rollOut(site, 'web:2');
    await site.until('Soaking');
    await site.prunePlan();
    await site.run(2);
  },
  async function bounded(site) {
    const { bound } = sampleOf(site.kind);
    if (bound === undefined) return;
    await begin(site);
    await site.plan(manifestOf(site.kind, 'web:2', bound), at(site, 'web:1'));
    await site.manifest('web:2', bound);
    await site.run(2);
  },
  async function withoutPods(site) {
    if (site.kind.id.kind !== 'SidecarSet') return;
    await site.manifest('web:1');
    await site.run(1);
    await rollOut(site, 'web:2');
    await site.run(2);
  },
];

/** Every state that a target of a kind and its plan come through, each once; first those of targets without plans. */
export async function statesOf(any: Kind): Promise<Recorded[]> {
  const alone = isPlanned(any) ? [] : await standing(any);
  const kind = planRulesOf(any);
  if (kind === undefined) return alone;
  const states = new Map<string, Recorded>();
  for (const script of scripts)
    for (const each of await recorded(kind, script))
      if (!states.has(each.state)) states.set(each.state, each);
  return [...alone, ...[...states.values()].sort((a, b) => (a.state < b.state ? -1 : 1))];
}

const at = ({ kind }: Site, image: string): KubeObject => manifestOf(kind, image);

/** A target that stands. A run does not begin without a plan. */
export async function begin(site: Site): Promise<void> {
  const { shape, id } = site.kind;
  if (shape === 'Run') await site.plan(at(site, 'web:1'));
  await site.manifest('web:1');
  await site.run(1);
  if (id.kind === 'SidecarSet') await site.pods();
  await site.run(4);
}

export async function rollOut(site: Site, image: string): Promise<void> {
  await site.plan(at(site, image), at(site, 'web:1'));
  await site.manifest(image);
}
