import type { KubeObject } from '../../schemas/wire/object.ts';
import { updatesOf } from '../../semantics/kinds/git-units.ts';
import { RECREATE_FOR_CLAIMS_ANNOTATION } from '../../semantics/template/update-policy.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { makeClass } from '../fixtures/storage-class.ts';
import { fewHistoriesOf } from './histories.ts';
import type { Change, Ledger, State, Subject, World } from './subject.ts';

/**
 * Worlds in which an image and the claim templates change together, for a kind that reads the annotation for that: pods that
 * would be updated in place are recreated, each with the claims of its revision.
 */
export function claimWorldsOf(subject: Subject): World[] {
  const change = subject.changes.find(({ mode }) => mode === 'InPlace');
  if (change === undefined || !servesClaims(subject)) return [];
  const recreating = recreated(change);
  return fewHistoriesOf(subject, recreating).map((world) => watched(world, recreating));
}

/** Whether a kind recreates pods for changed claim templates where its manifests ask for that. */
export function servesClaims({ kind, changes }: Subject): boolean {
  return changes.some(
    ({ states: [{ manifest }] }) =>
      updatesOf(kind.git.read(withClaim(manifest, SIZES[0])).units)?.recreatesForClaims === true,
  );
}

/** What the claims of each state ask for. */
const SIZES = ['1Gi', '2Gi', '3Gi'] as const;

/** The same world, at whose end each pod has the claim of its revision, and none was updated in place. */
function watched(world: World, { states }: Change): World {
  const claims = new Map<string, unknown>();
  const wanted = SIZES[states.findIndex(({ revision }) => revision in world.end.units)];
  const isDone = ({ podChanges, units, pods }: Ledger): boolean =>
    podChanges.updatedInPlace === 0 &&
    units().every(({ revision }) => revision in world.end.units) &&
    pods().every((pod) => claimNames(pod).some((name) => claims.get(name) === wanted));
  return {
    ...world,
    prepare: (sandbox) => {
      claims.clear();
      makeClass(sandbox);
      sandbox.onCommit(({ resource, object: { metadata, spec } }) => {
        if (resource === 'persistentvolumeclaims') claims.set(metadata.name, storageOf(spec));
      });
    },
    script: [...world.script, ({ when }) => when(`recreated pods with claims of ${wanted}`, isDone)],
  };
}

const storageOf = (spec: unknown): unknown =>
  (spec as { resources: { requests: { storage: string } } }).resources.requests.storage;

function claimNames({ spec }: Pod): string[] {
  const { volumes = [] } = spec as { volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
  return volumes.flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [claim.claimName],
  );
}

function recreated({ title, states: [first, second, third] }: Change): Change {
  const at = (state: State, size: string): State => ({ ...state, manifest: withClaim(state.manifest, size) });
  return {
    title: `${title}, recreated for other claims`,
    mode: 'Recreate',
    states: [at(first, SIZES[0]), at(second, SIZES[1]), at(third, SIZES[2])],
  };
}

function withClaim(manifest: KubeObject, storage: string): KubeObject {
  const annotations = { ...manifest.metadata.annotations, [RECREATE_FOR_CLAIMS_ANNOTATION]: 'true' };
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  };
  return {
    ...manifest,
    metadata: { ...manifest.metadata, annotations },
    spec: { ...(manifest['spec'] as object), volumeClaimTemplates: [claim] },
  };
}
