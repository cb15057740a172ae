import { ApiError, type Cluster } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import { kinds } from '../semantics/registry/registry.ts';
import { cutForeign } from '../semantics/values/text.ts';
import { RUNTIME_ACCOUNT } from '../semantics/values/system-namespaces.ts';

/** The policy of `deploy/policy/revisions.yaml`. */
const POLICY = 'controllerrevisions.plan.kruise.io';

/**
 * What the policies of deploy/ will refuse this process, or that there is no namespace for records; undefined: nothing, or that is not known. They let only the account of the
 * runtime write records, whatever rights another one has. Asked by a dry run, which stores nothing.
 *
 * @param namespace the one that is managed; undefined: all
 * @param stateNamespace where the records of cluster-scoped targets are
 */
export async function refusedByPolicies(
  cluster: Cluster,
  namespace: string | undefined,
  stateNamespace: string,
  user: string,
): Promise<string | undefined> {
  const asked = record(namespace ?? stateNamespace, namespace !== undefined);
  try {
    await cluster.create(resources.ControllerRevision, asked, { dryRun: true });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404 && namespace === undefined)
      return `there is no namespace ${stateNamespace} for the revisions and records of cluster-scoped targets, which cannot be changed without it: create it, or name another one with --lease-namespace`;
    if (!(error instanceof ApiError) || !error.status.message.includes(`'${POLICY}'`)) return undefined;
    return `the admission policies of this cluster let only the account of the runtime write revisions and records of plans, and ${user} is not it: every target that is to be changed will be held with RecordRefused. Run as the service account ${RUNTIME_ACCOUNT}, or list the account of this process as runtimes in the policies (docs/install.md). The server says: ${cutForeign(error.status.message)}`;
  }
}

const name = 'kruise-start';

/** A record as those of targets are: the account of the runtime may write no other. */
function record(namespace: string, isOwnerNamespaced: boolean): KubeObject {
  const owners = kinds.map(({ resource }) => resource);
  const { group, version, kind } =
    owners.find(({ namespaced }) => namespaced === isOwnerNamespaced) ?? resources.ControllerRevision;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace,
      ownerReferences: [{ apiVersion: `${group}/${version}`, kind, name, uid: name, controller: true }],
    },
    data: {},
    revision: 1,
  };
}
