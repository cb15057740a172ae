import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Action } from '../../../semantics/decision.ts';
import { COMPLETE_ANNOTATION } from '../../../semantics/revision/revision.ts';
import { type Given, podsOf, revisionsOf, snapshotOf } from './model.ts';

/** The pods of a DaemonSet of Kubernetes, which has been deleted and has left them; its labels are hashes alone. */
const left: Given = { nodes: 'n1 n2 n3', pods: 'n1n n2n n3n' };
const none: Given = { nodes: left.nodes, pods: '' };
const [old, mid, live] = revisionsOf().map(({ metadata, ...rest }): KubeObject => {
  const { annotations: _, ...own } = metadata;
  return { ...rest, metadata: own };
});
const stable = (object: KubeObject | undefined): KubeObject => ({
  ...revision(object),
  metadata: { ...revision(object).metadata, annotations: { [COMPLETE_ANNOTATION]: '1' } },
});

function revision(object: KubeObject | undefined): KubeObject {
  if (object === undefined) throw new Error('there are three revisions');
  return object;
}

/** What is written about orphans, in the order of the writes. */
function writes(
  given: Given,
  orphans: readonly (KubeObject | undefined)[],
  owned: readonly KubeObject[],
): Action[] {
  const revisions = orphans.map(revision);
  return snapshotOf(none, owned, { orphans: { pods: podsOf(given), revisions } }).revise();
}

const named = (actions: readonly Action[]): string[] =>
  actions.map((action) => `${action.verb} ${action.do === 'create' ? 'one' : action.name}`);

describe('adoption of the pods of a DaemonSet of Kubernetes', () => {
  const rows: readonly [
    what: string,
    given: Given,
    orphans: readonly (KubeObject | undefined)[],
    owned: readonly KubeObject[],
    expected: readonly string[],
  ][] = [
    ['first the revision that they are on', left, [live], [], ['adopt agent-new']],
    [
      'in the middle of a rollout each revision that they are on, and no other',
      { ...left, pods: 'n1 n2n n3n' },
      [old, mid, live],
      [],
      ['adopt agent-old', 'adopt agent-new'],
    ],
    [
      'one of an earlier template, too, though it is not the live one',
      { ...left, pods: 'n1 n2 n3' },
      [old],
      [revision(live)],
      ['adopt agent-old'],
    ],
    ['then that becomes stable', left, [], [revision(live)], ['mark stable agent-new']],
    [
      'of two the one of most available pods',
      { ...left, pods: 'n1 n2 n3n' },
      [],
      [revision(old), revision(live)],
      ['mark stable agent-old'],
    ],
    ['then the pods', left, [], [stable(live)], ['adopt n1', 'adopt n2', 'adopt n3']],
  ];
  test.each(rows)('%s', (_what, given, orphans, owned, expected) => {
    expect(named(writes(given, orphans, owned))).toEqual(expected);
  });

  test('pods whose revision is gone are recognized by their specs', () => {
    const gone = { 'controller-revision-hash': 'gone' };
    const labels = { n1: gone, n2: gone, n3: gone };
    const given = { ...left, pods: 'n1 n2n n3m', labels };
    const owned = [revision(old), revision(mid), revision(live)];
    // Of each template one: the older revision counts.
    expect(named(writes(given, [], owned))).toEqual(['mark stable agent-old']);
    const adopted = writes(given, [], [stable(old), revision(mid), revision(live)]);
    expect(adopted.map((action) => (action.do === 'patch' ? action.body : action))).toMatchObject([
      { metadata: { labels: { 'controller-revision-hash': 'old' } } },
      { metadata: { labels: { 'controller-revision-hash': 'new' } } },
      { metadata: { ownerReferences: [{ kind: 'DaemonSet', controller: true }] } },
    ]);
    const why = 'it has no controller, and the selector matches it';
    expect(adopted.map(({ reason }) => reason)).toEqual([
      `${why}; its own revision is gone, and it is as one of agent-old; it is on agent-old, which has another template than the manifest`,
      `${why}; its own revision is gone, and it is as one of agent-new`,
      `${why}; no ControllerRevision shows what it runs, so it counts as outdated`,
    ]);
  });

  test('a pod that will not stay as it is is adopted with the reason', () => {
    const given = { ...left, pods: 'n1 n2n n3m' };
    const why = 'it has no controller, and the selector matches it';
    expect(writes(given, [], [revision(old), stable(live)]).map(({ reason }) => reason)).toEqual([
      `${why}; it is on agent-old, which has another template than the manifest`,
      why,
      `${why}; no ControllerRevision shows what it runs, so it counts as outdated`,
    ]);
  });
});
