import { describe, expect, it } from 'vitest';
import type { NodeLabels } from '../../../semantics/pod/nodes.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { spreadInfluence } from '../../../semantics/workloadspread/influence.ts';
import { matchedOf } from '../../../semantics/workloadspread/matched.ts';
import { type Caps, NOW, ownerOf, podIn, spreadOf } from './spreads.ts';

const nodesThat = (state: NodeLabels['state']): NodeLabels => ({
  state,
  pendingSince: state === 'pending' ? NOW : undefined,
  of: (name) => ({ zone: name }),
});

/** Pods without a record, by their zones. */
const running = (...zones: string[]): Pod[] => runningOf('CloneSet', ...zones);

const runningOf = (kind: string, ...zones: string[]): Pod[] =>
  zones.map((zone, index) => ({
    ...podIn(`old-${index}`, undefined, {}, kind),
    spec: { containers: [{ name: 'main', image: 'web:1' }], nodeName: zone },
  }));

/** Where three new pods go beside these. */
function created(
  pods: readonly Pod[],
  {
    state = 'known',
    seconds = 0,
    caps = { a: 2, b: null },
    kind = 'CloneSet',
  }: {
    state?: NodeLabels['state'];
    seconds?: number;
    caps?: Caps;
    kind?: string;
  } = {},
): unknown[] {
  const spread = spreadOf(caps, {}, kind);
  const names = ['web-0', 'web-1', 'web-2'].map((name) => podIn(name, undefined, {}, kind));
  return spreadInfluence
    .onCreate(spread, ownerOf(6, kind), names, NOW + seconds * 1_000, { pods, nodes: nodesThat(state) })
    .map((each) => ('later' in each ? 'later' : matchedOf(each.pod)?.subset));
}

describe('pods that run and are not on record yet', () => {
  it('count in the subset of their node', () => {
    expect(created(running('a', 'b'))).toEqual(['a', 'b', 'b']);
    expect(created(running('a', 'a', 'a'))).toEqual(['b', 'b', 'b']);
    expect(created(running('c'))).toEqual(['a', 'a', 'b']);
  });

  it('delay others until nodes are known, for a minute', () => {
    const later = ['later', 'later', 'later'];
    const all = ['a', 'a', 'b'];
    expect(created(running('a'), { state: 'pending' })).toEqual(later);
    expect(created(running('a'), { state: 'pending', seconds: 59 })).toEqual(later);
    expect(created(running('a'), { state: 'pending', seconds: 60 })).toEqual(all);
    expect(created(running('a'), { state: 'unreadable' })).toEqual(all);
    expect(created([podIn('old', 'a')], { state: 'pending' })).toEqual(['a', 'b', 'b']);
    expect(created([podIn('old')], { state: 'pending' })).toEqual(all);
  });

  it('delay none where nothing depends on how many there are', () => {
    const state = 'pending';
    expect(created(running('a'), { state, caps: { a: null, b: null } })).toEqual(['a', 'a', 'a']);
    expect(created(runningOf('StatefulSet', 'a'), { state, kind: 'StatefulSet' })).toEqual(['a', 'a', 'b']);
  });

  it('cost what those of their subset do', () => {
    const pods = running('a', 'b', 'c');
    const costOf = spreadInfluence.deletionCost(spreadOf({ a: 2, b: null }), ownerOf(3), {
      pods,
      nodes: nodesThat('known'),
    });
    expect(pods.map(costOf)).toEqual([200, 100, -300]);
  });
});
