import { selectorPredicate } from '../../semantics/values/selector.ts';
import { ownedPods } from '../../semantics/kinds/git-units.ts';
import { labelsOf } from '../../semantics/values/selector-mismatch.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { SharedDiagnostic } from '../diagnostics/shared.ts';
import type { Locator } from '../load/locate.ts';
import { byText } from '../text/order.ts';
import { shownName, type Target } from '../plan/target.ts';
import { locateIn } from './validate.ts';

type Selecting = Pick<Target, 'manifest' | 'normal'>;

/** With more workloads that share a label, some overlaps are not found: comparing all pairs would take too long. */
const MOST_COMPARED = 1_000;
/** Further overlaps are reported without the position of the other workload: finding it takes another parse. */
const MOST_RELATED = 20;

/**
 * Warns of each workload whose selector matches the pods of another one of its namespace. What is reported hangs on the IDs of
 * the two alone, not on the order of their files.
 */
export function selectorOverlaps(targets: Iterable<Selecting>, locator: Locator): SharedDiagnostic[] {
  const found: SharedDiagnostic[] = [];
  const inOrder = [...targets].sort((a, b) => byText(a.manifest.id, b.manifest.id));
  for (const together of byNamespace(inOrder).values()) {
    const reported = new Set<string>();
    for (const [one, other] of overlapsAmong(together)) {
      const [id, otherId] = [one.manifest.id, other.manifest.id];
      // Two equal selectors are one mistake.
      if (reported.has(`${otherId} ${id}`)) continue;
      reported.add(`${id} ${otherId}`);
      const { manifest } = one;
      const path = manifest.type.git.fieldPath(manifest.object, 'selector');
      const args = { target: nameOf(one), other: nameOf(other) };
      const related =
        found.length < MOST_RELATED
          ? [
              {
                message: 'the other one',
                position: locateIn(other.manifest, locator)(['metadata', 'name'], 'value'),
              },
            ]
          : [];
      const position = locateIn(manifest, locator)(path, 'key');
      found.push({ ids: [id, otherId], found: diagnostic('KR2137', args, position, related) });
    }
  }
  return found;
}

function nameOf({ manifest }: Selecting): string {
  return `${manifest.kind} ${shownName(manifest)}`;
}

function byNamespace(targets: Iterable<Selecting>): Map<string, Selecting[]> {
  const found = new Map<string, Selecting[]>();
  for (const target of targets) {
    const { namespace = '' } = target.manifest;
    const together = found.get(namespace);
    if (together === undefined) found.set(namespace, [target]);
    else together.push(target);
  }
  return found;
}

/** Each target with the first other one whose pods it selects. */
function overlapsAmong(targets: readonly Selecting[]): [Selecting, Selecting][] {
  if (targets.length < 2) return [];
  const byLabel = new Map<string, Selecting[]>();
  for (const target of targets)
    for (const [key, value] of Object.entries(labelsOf(target.normal.template))) {
      const label = `${key}=${value}`;
      const having = byLabel.get(label);
      if (having === undefined) byLabel.set(label, [target]);
      else having.push(target);
    }
  return targets.flatMap((target): [Selecting, Selecting][] => {
    const selector = ownedPods(target.normal.units)?.selector;
    const candidates = Object.entries(selector?.matchLabels ?? {})
      .map(([key, value]) => byLabel.get(`${key}=${value}`) ?? [])
      .reduce((least, each) => (each.length < least.length ? each : least), targets);
    const isSelected = selectorPredicate(selector);
    const other = candidates
      .slice(0, MOST_COMPARED)
      .find((each) => each !== target && isSelected(labelsOf(each.normal.template)));
    return other === undefined ? [] : [[target, other]];
  });
}
