import { describe, expect, test } from 'vitest';
import { groupsOf } from '../../compiler/review/groups.ts';
import { PROTECTION_LABEL, PROTECTION_VALUES } from '../../semantics/protection/label.ts';
import { compiledFleet } from './world/fleet.ts';
import { cloneSet } from './world/manifests.ts';

const STATES = [undefined, ...PROTECTION_VALUES] as const;

/** A manifest whose object has the label that refuses its deletion. */
function protectedBy(value: string | undefined, manifest: string): string {
  const label = value === undefined ? '' : `\n  labels: {${PROTECTION_LABEL}: ${value}}`;
  return manifest.replace('metadata:', `metadata:${label}`);
}

const budget = (value: string | undefined): string =>
  protectedBy(
    value,
    `apiVersion: policy.kruise.io/v1alpha1
kind: PodUnavailableBudget
metadata:
  name: web
  namespace: shop
spec: {selector: {matchLabels: {app: web}}, maxUnavailable: 1}
`,
  );

describe('the label that refuses a deletion is part of what a reviewer sees', () => {
  test.each(STATES.flatMap((from) => STATES.map((to) => [from, to] as const)))('%s to %s', (from, to) => {
    const image = (tag: string, value: string | undefined, name: string): string =>
      protectedBy(value, cloneSet({ name, image: `nginx:${tag}` }));
    const compiled = compiledFleet({
      'base/a.yaml': image('1', from, 'a'),
      'head/a.yaml': image('2', to, 'a'),
      'base/b.yaml': image('1', from, 'b'),
      'head/b.yaml': image('2', from, 'b'),
      'base/c.yaml': image('1', from, 'c'),
      'head/c.yaml': image('1', to, 'c'),
      'base/budget.yaml': budget(from),
      'head/budget.yaml': budget(to),
    });
    const byId = new Map(compiled.changes.map((change) => [change.name, change]));
    expect(byId.get('c')?.action).toBe(from === to ? 'Unchanged' : 'Settings');
    expect(compiled.atOnce).toHaveLength(from === to ? 0 : 1);
    const groups = groupsOf(compiled).map(({ members, notes }) => [members.map(({ name }) => name), notes]);
    const own = groups.find(([names]) => String(names).startsWith('a'));
    if (from === to) expect(own?.[0]).toEqual(['a', 'b']);
    else {
      expect(own?.[0]).toEqual(['a']);
      expect(String(own?.[1])).toContain(`${PROTECTION_LABEL} from ${from ?? 'none'} to ${to ?? 'none'}`);
    }
  });
});
