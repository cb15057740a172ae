import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { projectClaim } from '../../semantics/claims/unit.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import { claimLabel } from '../observe/claim-label.ts';
import { narrowNode, nodeLabelsOf } from '../observe/nodes.ts';
import { createOnDemand, type OnDemand } from '../observe/on-demand.ts';
import { createReflector, type ReflectorOptions } from '../observe/reflector.ts';
import type { Relations } from '../observe/relations.ts';

/** Nodes and claims: watched from the first time a target needs them, as the runtime does. */
export interface OnDemandCaches {
  readonly nodes: NodeLabels;
  /** The claims of a target; before they are known, undefined, or `unseen`: they may not be seen. */
  claimsOf(target: KubeObject): readonly KubeObject[] | 'unseen' | undefined;
  stop(): void;
}

export interface OnDemandCachesOptions {
  cluster: Cluster;
  clock: Clock;
  random?: () => number;
  onWatchLost(plural: string, error: unknown): void;
  /** It may not be seen, and nobody waits for it; told once. */
  onForbidden(plural: string, error: ApiError): void;
  onWatched(plural: string): void;
  /** Where claims are filed. */
  relations: Pick<Relations, 'partsOf'>;
  onClaim(object: KubeObject, gone: boolean): void;
  /** What is known of all targets is new. */
  onChange(): void;
}

export function createOnDemandCaches(options: OnDemandCachesOptions): OnDemandCaches {
  const forbidden = new Set<string>();

  const onError =
    ({ plural }: Resource) =>
    (error: unknown): void => {
      if (!(error instanceof ApiError) || error.status.code !== 403) options.onWatchLost(plural, error);
      else if (!forbidden.has(plural)) {
        forbidden.add(plural);
        options.onForbidden(plural, error);
      }
    };

  const onDemand = (
    resource: Resource,
    part: Pick<ReflectorOptions, 'labelSelector' | 'transform' | 'onChange'>,
  ): OnDemand =>
    createOnDemand(
      (sinks) =>
        createReflector({
          ...part,
          ...sinks,
          cluster: options.cluster,
          clock: options.clock,
          resource,
          ...(options.random === undefined ? {} : { random: options.random }),
          onSync() {
            forbidden.delete(resource.plural);
            options.onWatched(resource.plural);
            sinks.onSync();
          },
        }),
      onError(resource),
      options.onChange,
    );
  const nodes = onDemand(resources.Node, { transform: narrowNode, onChange: () => undefined });
  const label = claimLabel();
  const claims = onDemand(resources.PersistentVolumeClaim, {
    ...(label !== undefined && { labelSelector: label }),
    transform: projectClaim,
    onChange: options.onClaim,
  });

  return {
    nodes: nodeLabelsOf(nodes),
    claimsOf(target) {
      const { state } = claims;
      if (state === 'known') return options.relations.partsOf(target, resources.PersistentVolumeClaim);
      return state === 'pending' ? undefined : 'unseen';
    },
    stop() {
      nodes.reflector?.stop();
      claims.reflector?.stop();
    },
  };
}
