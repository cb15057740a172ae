import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import { createClaims } from '../observe/claims.ts';
import { createNodes } from '../observe/nodes.ts';
import { createReflector } from '../observe/reflector.ts';
import { controllerId, ownerId } from '../../semantics/owner.ts';

/** Nodes and claims: watched from the first time a target needs them, as the runtime does. */
export interface Beside {
  readonly nodes: NodeLabels;
  /** The claims of a target; before they are known, undefined, or `unseen`: they may not be seen. */
  claimsOf(target: KubeObject): KubeObject[] | 'unseen' | undefined;
  stop(): void;
}

export interface BesideOptions {
  cluster: Cluster;
  clock: Clock;
  random?: () => number;
  onUnseen(plural: string, error: unknown): void;
  /** It may not be seen, and nobody waits for it; told once. */
  onForbidden(plural: string, error: ApiError): void;
  onSeen(plural: string): void;
  /** Something about the target of an `ownerId` is new; undefined: of all. */
  onChange(owner: string | undefined): void;
}

export function createBeside(options: BesideOptions): Beside {
  const claimsOf = new Map<string, Map<string, KubeObject>>();
  const ownedBy = new Map<string, string>();
  const forbidden = new Set<string>();

  const common = (resource: Resource) => ({
    cluster: options.cluster,
    clock: options.clock,
    resource,
    ...(options.random === undefined ? {} : { random: options.random }),
    onSync() {
      forbidden.delete(resource.plural);
      options.onSeen(resource.plural);
    },
  });
  const onError =
    ({ plural }: Resource) =>
    (error: unknown): void => {
      if (!(error instanceof ApiError) || error.status.code !== 403) options.onUnseen(plural, error);
      else if (!forbidden.has(plural)) {
        forbidden.add(plural);
        options.onForbidden(plural, error);
      }
    };

  const nodes = createNodes(
    (own) => {
      const shared = common(resources.Node);
      const onSync = (): void => {
        shared.onSync();
        options.onChange(undefined);
      };
      return createReflector({ ...shared, ...own, onChange: () => undefined, onSync });
    },
    onError(resources.Node),
    () => options.onChange(undefined),
  );

  const claims = createClaims(
    (own) => {
      const shared = common(resources.PersistentVolumeClaim);
      const onSync = (): void => {
        shared.onSync();
        own.onSync();
      };
      return createReflector({ ...shared, ...own, onSync, onChange: onClaim });
    },
    onError(resources.PersistentVolumeClaim),
    () => options.onChange(undefined),
  );

  function onClaim(object: KubeObject, gone: boolean): void {
    const id = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const owner = gone ? '' : (controllerId(object) ?? '');
    const before = ownedBy.get(id) ?? '';
    if (before !== owner && claimsOf.get(before)?.delete(id) === true) options.onChange(before);
    if (owner === '') {
      ownedBy.delete(id);
      return;
    }
    ownedBy.set(id, owner);
    const group = claimsOf.get(owner) ?? new Map<string, KubeObject>();
    claimsOf.set(owner, group.set(id, object));
    options.onChange(owner);
  }

  return {
    nodes: nodes.labels,
    claimsOf(target) {
      const found = claims.whenKnown(() =>
        [...(claimsOf.get(ownerId(target)) ?? [])]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, claim]) => claim),
      );
      return found instanceof ApiError ? 'unseen' : found;
    },
    stop() {
      nodes.reflector?.stop();
      claims.reflector?.stop();
    },
  };
}
