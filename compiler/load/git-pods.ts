import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { tupleId } from '../../semantics/owner.ts';
import { type ConfigRead, configReads } from '../../semantics/pod/config-reads.ts';
import { type OwnParts, ownParts } from '../../semantics/pod/own-parts.ts';
import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { contentHash } from '../../semantics/values/canonical-json.ts';
import { listOf } from '../../semantics/values/read.ts';
import { groupOf, isObject } from './identity.ts';
import { podTemplatesIn } from './pod-templates.ts';
import { type GivenText, readGiven, readSource, readYaml } from './read.ts';

type Labels = Readonly<Record<string, string>>;

/** One template of a workload, without what nobody asks. */
interface GitTemplate extends OwnParts {
  labels: Labels;
  /** From the root of the object; empty for a pod. */
  path: readonly string[];
  /** The ConfigMaps and Secrets that it reads. */
  reads: readonly ConfigRead[];
  /** Hash of all of it. */
  content: string;
}

/** An object of any kind that describes pods. Nothing of it was validated. */
export interface GitWorkload {
  /** Group, kind, namespace and name. */
  id: string;
  group: string;
  kind: string;
  namespace: string | undefined;
  name: string;
  templates: readonly GitTemplate[];
  /** The wanted number of pods; undefined: the manifest names none, as where each node has one. */
  pods: number | undefined;
}

/** The pods and namespaces that the manifests of a state describe. */
export interface GitPods {
  workloads: readonly GitWorkload[];
  /** The labels of each namespace that has a manifest, with the one that the API server adds. */
  namespaces: ReadonlyMap<string, Labels>;
}

const MAY_HOLD = /\bcontainers\b|\bkind["']?\s*:\s*["']?Namespace\b/;

/** Whether a text may describe pods or a namespace. A search is cheap enough for every file. */
export function mayHoldPods(text: string): boolean {
  return MAY_HOLD.test(text);
}

/**
 * The pods and namespaces in these files. Unreadable files and documents are left out: loading the state has reported them.
 * Undefined if a limit was reached, so that not all of them are known.
 */
export function readGitPods(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
): GitPods | undefined {
  const workloads = new Map<string, GitWorkload>();
  const namespaces = new Map<string, Labels>();
  for (const file of files) {
    const { source } = typeof file === 'string' ? readSource(host, file, budget) : readGiven(file, budget);
    if (source === undefined) continue;
    const keeps = (value: Json): boolean =>
      objectsIn(value).some((each) => isNamespace(each) || podTemplatesIn(each).length > 0);
    for (const { value } of readYaml(source, budget, keeps).documents)
      for (const object of objectsIn(value)) {
        const { namespace, name, labels } = namesOf(object);
        const { kind } = object;
        if (name === undefined || typeof kind !== 'string') continue;
        if (isNamespace(object)) namespaces.set(name, { ...labels, [NAMESPACE_NAME_LABEL]: name });
        const claims = claimVolumes(object);
        const templates = podTemplatesIn(object).map(({ path, template }): GitTemplate => {
          const { containers, volumes } = ownParts(template['spec']);
          const [reads, content] = [configReads(template['spec']), contentHash(template)];
          const { labels: own } = namesOf(template);
          return { path, content, labels: own, reads, containers, volumes: [...volumes, ...claims] };
        });
        const group = groupOf(object);
        const id = tupleId({ group, kind }, namespace, name);
        if (templates.length > 0)
          workloads.set(id, { id, group, kind, namespace, name, templates, pods: podsOf(object) });
      }
  }
  if (budget.exceeded !== undefined) return undefined;
  return { workloads: [...workloads.values()], namespaces };
}

/** The object of a document, or those of a list. */
function objectsIn(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  return Array.isArray(value['items']) ? value['items'].flatMap(objectsIn) : [value];
}

function isNamespace({ apiVersion, kind }: JsonObject): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}

function namesOf({ metadata }: JsonObject): {
  namespace: string | undefined;
  name: string | undefined;
  labels: Labels;
} {
  const { namespace, name, labels } = isObject(metadata) ? metadata : {};
  const texts = isObject(labels) ? Object.entries(labels).filter(([, each]) => typeof each === 'string') : [];
  return {
    namespace: typeof namespace === 'string' ? namespace : undefined,
    name: typeof name === 'string' ? name : undefined,
    labels: Object.fromEntries(texts) as Labels,
  };
}

/** The volumes that a controller makes of claim templates, as far as they are known. */
function claimVolumes({ spec }: JsonObject): JsonObject[] {
  const claims = isObject(spec) ? spec['volumeClaimTemplates'] : undefined;
  return listOf(claims).flatMap((claim) => {
    const { name } = namesOf(claim);
    return name === undefined ? [] : [{ name, persistentVolumeClaim: {} }];
  });
}

/** As many as `replicas` says, or the `parallelism` of a Job. */
function podsOf(object: JsonObject): number | undefined {
  const { replicas, parallelism } = isObject(object['spec']) ? object['spec'] : {};
  const wanted = replicas ?? (groupOf(object) === 'batch' ? parallelism : undefined);
  return typeof wanted === 'number' && Number.isInteger(wanted) && wanted >= 0 ? wanted : undefined;
}
