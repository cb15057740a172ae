import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { definitionName } from '../../runtime/definitions.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import {
  admittingBy,
  admittingOnlyBy,
  injectorsOf,
  judgingKinds,
  readForPodsOf,
  recordingKinds,
  reviewingKinds,
} from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { nativeResourceRules, ownedResourceRules, templatedResourceRules } from './confined.ts';
import { argoActions, argoHealth } from './argo.ts';
import { expressionsOf } from './expressions.ts';
import { fluxHealth } from './flux.ts';
import { podPolicies } from './pod-policies.ts';
import { protectionExpressions, protectionRulesNamed } from './protection.ts';
import {
  distributionRules,
  execRules,
  launchRules,
  nativeWorkloadRules,
  protectionRules,
  ruleOf,
  runtimeRules,
  runtimeRulesOfOne,
  secretRules,
} from './rules.ts';

const templates = fileURLToPath(new URL('../templates', import.meta.url));
const header = '# Made from deploy/templates by `npm run generate`; do not edit.';

/**
 * The roles and policies of `deploy/` by repository path: the templates with the placeholders filled for these
 * kinds.
 *
 * @param definitions the CustomResourceDefinitions, which define the scale subresources
 */
export function deployOutputs(
  kinds: readonly Kind[],
  definitions: readonly KubeObject[],
): Map<string, string> {
  const paths = readdirSync(templates, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .sort();
  return new Map(
    paths.map((path) => {
      const template = readFileSync(join(templates, path), 'utf8');
      return [`deploy/${path}`, `${header}\n${filled(template, admittingAt(path, kinds), definitions)}`];
    }),
  );
}

/** The kinds as a component of the admission has them: what is optional about them is in a component of its own. */
function admittingAt(path: string, kinds: readonly Kind[]): readonly Kind[] {
  if (path.startsWith('components/admission/')) return admittingBy(kinds, []);
  if (path.startsWith('components/admission-exact/')) return admittingOnlyBy(kinds, 'exact-budgets');
  return path.startsWith('components/admission-spreads/') ? admittingOnlyBy(kinds, 'spreads') : kinds;
}

/**
 * `{{NAME}}` in a line is replaced by text, and alone in a comment by lines; lines between `{{where kinds are
 * cluster-scoped}}` and `{{end}}` are removed if no kind is cluster-scoped.
 */
function filled(template: string, kinds: readonly Kind[], definitions: readonly KubeObject[]): string {
  const isAnyInCluster = kinds.some(({ resource }) => !resource.namespaced);
  const texts = new Map([...expressionsOf(kinds), ...protectionExpressions(kinds)]);
  return template
    .replace(/^ *# \{\{where kinds are cluster-scoped\}\}\n([^]*?)^ *# \{\{end\}\}\n/gm, (_, lines: string) =>
      isAnyInCluster ? lines : '',
    )
    .replace(/^( *)# \{\{(.+)\}\}\n/gm, (_, indent: string, name: string) => {
      const rules = rulesNamed(name, kinds, definitions);
      return rules === '' ? '' : `${rules.replace(/^/gm, indent)}\n`;
    })
    .replace(/\{\{(.+?)\}\}/g, (_, name: string) => texts.get(name) ?? unknown(name));
}

/** Rules as YAML, by placeholder name; `targets get, list`: rules with these verbs. */
function rulesNamed(name: string, kinds: readonly Kind[], definitions: readonly KubeObject[]): string {
  if (name === 'runtime rules') return runtimeRules(kinds);
  if (name === 'owned resources') return ownedResourceRules(kinds);
  if (name === 'targets with templates') return templatedResourceRules(kinds);
  if (name === 'protection rules') return protectionRules(kinds);
  if (name === 'health checks of Argo CD') return argoHealth(kinds);
  if (name === 'actions of Argo CD') return argoActions();
  if (name === 'health checks of Flux') return fluxHealth(kinds);
  if (name === 'launch rules') return launchRules(kinds);
  if (name === 'native workload rules') return nativeWorkloadRules(kinds);
  if (name === 'native workload resources') return nativeResourceRules(kinds);
  if (name === 'distribution rules') return distributionRules(kinds);
  if (name === 'secret rules') return secretRules(kinds);
  if (name === 'exec rules') return execRules(kinds);
  if (name === 'runtime rules of one namespace') return runtimeRulesOfOne(kinds);
  const protection = protectionRulesNamed(name, kinds);
  if (protection !== undefined) return protection;
  if (name === 'policies of pods') return podPolicies(kinds);
  if (name === 'admission network') return admissionNetwork(kinds);
  const [, what = '', list = ''] = /^(.+?) ((?:get|list|patch)\b.*)$/.exec(name) ?? [];
  const inCluster = kinds.filter(({ resource }) => !resource.namespaced);
  const rules = (some: readonly Resource[], subresource?: string): string => {
    const groups = [...new Set(some.map(({ group }) => group))];
    return groups
      .map((group) => {
        const own = some.filter((each) => each.group === group);
        return ruleOf(own, list.split(', '), subresource);
      })
      .join('\n');
  };
  const ofKinds = (some: readonly Kind[]): Resource[] => some.map(({ resource }) => resource);
  switch (what) {
    case 'targets':
      return rules(ofKinds(kinds.filter((kind) => !holdsSecrets(kind))));
    case 'namespaced targets':
      return rules(ofKinds(kinds.filter(({ resource }) => resource.namespaced)));
    case 'scales':
      return rules(ofKinds(kinds.filter((kind) => canBeScaled(kind, definitions))), 'scale');
    case 'injectors':
      return rules(injectorsOf(kinds).map(({ resource }) => resource));
    case 'judging kinds':
      return rules(ofKinds(judgingKinds(kinds)));
    case 'recording kinds':
      return rules(ofKinds(recordingKinds(kinds)));
    case 'recording statuses':
      return rules(ofKinds(recordingKinds(kinds)), 'status');
    case 'read owners':
      return rules(readForPodsOf(kinds));
    case 'reviewed pods':
      return rules(reviewingKinds(kinds).length === 0 ? [] : [resources.Pod]);
    case 'cluster-scoped targets':
      return rules(ofKinds(inCluster));
    case 'cluster-scoped targets without Secrets':
      return rules(ofKinds(inCluster.filter((kind) => !holdsSecrets(kind))));
    case 'cluster-scoped plans and commands':
      return rules(
        inCluster.length === 0 ? [] : [resources.ClusterRolloutPlan, resources.ClusterRolloutCommand],
      );
    default:
      return unknown(name);
  }
}

/**
 * The port of reviews is closed to all but API servers where a kind records what it allows: whoever reaches it could use that up.
 */
function admissionNetwork(kinds: readonly Kind[]): string {
  return recordingKinds(kinds).length === 0 ? '' : 'components:\n  - ../admission-network';
}

/** Whether targets of a kind may hold Secrets: whoever reads them reads those. */
function holdsSecrets({ uses }: Kind): boolean {
  return uses.some((use) => use.of === 'Children' && use.resource === resources.Secret);
}

function unknown(name: string): never {
  throw new Error(`a template of deploy/ asks for ${name}, and there is no such thing`);
}

function canBeScaled({ resource }: Kind, definitions: readonly KubeObject[]): boolean {
  const definition = definitions.find(({ metadata }) => metadata.name === definitionName(resource));
  const { versions = [] } = (definition?.['spec'] ?? {}) as {
    versions?: { subresources?: { scale?: object } }[];
  };
  return versions.some(({ subresources }) => subresources?.scale !== undefined);
}
