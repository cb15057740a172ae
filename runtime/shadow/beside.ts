import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { NodeLabels } from '../../semantics/pod/nodes.ts';
import { createClaims } from '../observe/claims.ts';
import { createNodes } from '../observe/nodes.ts';
import { createReflector } from '../observe/reflector.ts';
import type { Relations } from '../observe/relations.ts';

/** Nodes and claims: watched from the first time a target needs them, as the runtime does. */
export interface Beside {
  readonly nodes: NodeLabels;
  /** The claims of a target; before they are known, undefined, or `unseen`: they may not be seen. */
  claimsOf(target: KubeObject): readonly KubeObject[] | 'unseen' | undefined;
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
  /** Where claims are filed. */
  relations: Pick<Relations, 'partsOf'>;
  onClaim(object: KubeObject, gone: boolean): void;
  /** What is known of all targets is new. */
  onChange(): void;
}

export function createBeside(options: BesideOptions): Beside {
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
        options.onChange();
      };
      return createReflector({ ...shared, ...own, onChange: () => undefined, onSync });
    },
    onError(resources.Node),
    options.onChange,
  );

  const claims = createClaims(
    (own) => {
      const shared = common(resources.PersistentVolumeClaim);
      const onSync = (): void => {
        shared.onSync();
        own.onSync();
      };
      return createReflector({ ...shared, ...own, onSync, onChange: options.onClaim });
    },
    onError(resources.PersistentVolumeClaim),
    options.onChange,
  );

  return {
    nodes: nodes.labels,
    claimsOf(target) {
      const found = claims.whenKnown(() =>
        options.relations.partsOf(target, resources.PersistentVolumeClaim.kind),
      );
      return found instanceof ApiError ? 'unseen' : found;
    },
    stop() {
      nodes.reflector?.stop();
      claims.reflector?.stop();
    },
  };
}
