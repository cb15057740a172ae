import type { LabelSelector } from '../../schemas/pods/pod.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { RelatedObjects, Served } from '../api/registry.ts';
import { selects } from '../kinds/selectors.ts';
import { inVersion, type AdmittedWrite } from './write.ts';

/** A rule of a policy, of a binding or of a webhook. */
export interface ResourceRule {
  apiGroups?: readonly string[];
  apiVersions?: readonly string[];
  operations?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  scope?: string;
}

/** Which writes a policy, a binding or a webhook is about. */
export interface MatchResources {
  resourceRules?: readonly ResourceRule[];
  excludeResourceRules?: readonly ResourceRule[];
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  matchPolicy?: string;
}

const includes = (list: readonly string[] | undefined, value: string) =>
  list?.includes('*') === true || list?.includes(value) === true;

function fitsResource(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', part = ''] = pattern.split('/');
  return (resource === '*' || resource === plural) && (part === '*' || part === subresource);
}

function fits(rule: ResourceRule, write: AdmittedWrite, { type, version }: Served): boolean {
  const isNamespace = type.id === 'namespaces';
  const scope = type.namespaced && !isNamespace ? 'Namespaced' : 'Cluster';
  const names = rule.resourceNames ?? [];
  return (
    [undefined, '*', scope].includes(rule.scope) &&
    includes(rule.operations, write.operation) &&
    includes(rule.apiGroups, type.group) &&
    includes(rule.apiVersions, version.version) &&
    (rule.resources ?? []).some((each) => fitsResource(each, type.plural, write.subresource ?? '')) &&
    (names.length === 0 || names.includes(write.name))
  );
}

/** The write in the version in which a rule names it; undefined if no rule does. */
function asNamed(
  rules: readonly ResourceRule[],
  matchPolicy: string | undefined,
  write: AdmittedWrite,
): AdmittedWrite | undefined {
  if (rules.some((rule) => fits(rule, write, write.served))) return write;
  if (matchPolicy !== 'Equivalent') return undefined;
  const { type } = write.served;
  for (const rule of rules)
    for (const version of type.versions.values()) {
      const equivalent = { type, version };
      if (fits(rule, write, equivalent)) return inVersion(write, equivalent);
    }
  return undefined;
}

const isEmpty = ({ matchLabels, matchExpressions }: LabelSelector) =>
  Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length === 0;

function isInNamespace(selector: LabelSelector, write: AdmittedWrite, others: RelatedObjects): boolean {
  if (isEmpty(selector)) return true;
  const { type } = write.served;
  if (type.id === 'namespaces') return selects(selector, (write.object ?? write.before)?.metadata.labels);
  if (!type.namespaced) return true;
  return selects(selector, others.read('namespaces', '', write.namespace)?.metadata.labels);
}

/** An object is selected if it was, or if it will be. */
function isObject(selector: LabelSelector, { object, before }: AdmittedWrite): boolean {
  if (isEmpty(selector)) return true;
  const isSelected = (each: KubeObject | undefined) =>
    each !== undefined && selects(selector, each.metadata.labels);
  return isSelected(object) || isSelected(before);
}

/** The write in the version that is meant; undefined if it is not meant. Without rules every resource is. */
export function matched(
  { resourceRules = [], excludeResourceRules = [], matchPolicy, ...selectors }: MatchResources,
  write: AdmittedWrite,
  others: RelatedObjects,
): AdmittedWrite | undefined {
  if (!isInNamespace(selectors.namespaceSelector ?? {}, write, others)) return undefined;
  if (!isObject(selectors.objectSelector ?? {}, write)) return undefined;
  if (asNamed(excludeResourceRules, matchPolicy, write) !== undefined) return undefined;
  return resourceRules.length === 0 ? write : asNamed(resourceRules, matchPolicy, write);
}
