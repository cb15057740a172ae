import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  annotateClaims,
  type ClaimRetention,
  collectClaims,
  DELETED_WITH_ANNOTATION,
  markClaims,
} from '../../../semantics/claims/marks.ts';
import { claimTemplatesOf, withMissingClaims } from '../../../semantics/claims/templates.ts';
import { claimsOf } from '../../../semantics/claims/unit.ts';
import { type Action, type CreateAction, inSequence } from '../../../semantics/decision.ts';
import { revisionOf } from '../../../semantics/revision/revision.ts';
import { NOON } from '../cloneset/model.ts';
import { claim, pod, workload } from '../workload/ordered.ts';

const retain: ClaimRetention = { retainsLost: true, isWanted: () => false, lostAt: () => undefined };

function texts(actions: readonly Action[]): string[] {
  return inSequence(actions).map((action) =>
    action.do === 'create'
      ? `${action.verb} ${action.object.metadata.name}`
      : `${action.verb} ${action.name}`,
  );
}

describe('claims of pods with ordinals', () => {
  test('a claim is found by the ordinal in its name, and not where another workload’s name ends alike', () => {
    const other: KubeObject = { ...claim(1), metadata: { name: 'data-otherdb-1', uid: 'x' } };
    const view = workload([], [claim(1), claim(11), other]);
    expect(claimsOf(view, '1').map(({ metadata }) => metadata.name)).toEqual(['data-db-1']);
  });

  test('missing ones are created before the pod, as on its own revision, with the annotations', () => {
    const view = workload([], [claim(0)]);
    const revision = revisionOf(view, view.liveHash);
    if (revision === undefined) throw new Error('the template is on record');
    expect(claimTemplatesOf(view, revision)).toHaveLength(1);
    const making = (ordinal: number): CreateAction => {
      const create: CreateAction = {
        do: 'create',
        kind: 'Pod',
        verb: 'create',
        object: pod(ordinal),
        reason: 'it is missing',
      };
      const annotations = { 'plan.kruise.io/made-at': revision.hash };
      return withMissingClaims(view, revision, create, { id: String(ordinal), annotations });
    };
    expect(texts([making(0)])).toEqual(['create db-0']);
    expect(texts([making(1)])).toEqual(['create claim data-db-1', 'create db-1']);
    const { metadata } = making(1).object;
    expect(metadata).toEqual({
      name: 'data-db-1',
      namespace: 'shop',
      labels: { of: 'template', app: 'web' },
      annotations: { 'plan.kruise.io/made-at': revision.hash },
    });
  });

  test('annotations are written where they are missing', () => {
    const view = workload([], [claim(2, { made: 'at-1' }), claim(3, { made: 'at-2' })]);
    const note = { verb: 'record', annotations: () => ({ made: 'at-2' }), reason: 'made there' };
    expect(
      [...annotateClaims(view, '2', note), ...annotateClaims(view, '3', note)].map(({ verb }) => verb),
    ).toEqual(['record']);
  });

  test('claims of a pod that is scaled in are deleted with it, or retained, as requested', () => {
    const first = workload([pod(0), pod(1)], [claim(0), claim(1)]);
    const [mark] = markClaims(first, pod(1), { why: 'scaled in', isScaleIn: true });
    if (mark?.do !== 'patch') throw new Error('it is marked');
    const { annotations } = mark.body['metadata'] as { annotations: Record<string, string> };
    const gone = workload([pod(0)], [claim(0), claim(1, annotations)]);
    expect(annotations[DELETED_WITH_ANNOTATION]).toBe('uid-db-1 uid-data-db-1 scale-in');
    expect(texts(collectClaims(gone, retain, new Set(), NOON).actions)).toEqual(['delete claim data-db-1']);
    const wanted = { ...retain, isWanted: (id: string) => id === '1' };
    expect(collectClaims(gone, wanted, new Set(), NOON).actions).toEqual([]);
    const unmarked = workload([pod(0)], [claim(0), claim(1)]);
    expect(collectClaims(unmarked, retain, new Set(), NOON).actions).toEqual([]);
  });
});
