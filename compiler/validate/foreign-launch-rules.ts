import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { podInjectorOf } from '../../semantics/registry/pod-injectors.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { invalidPriorities, numberedContainers } from '../../semantics/launch/invalid.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { bounded } from '../load/findings.ts';
import { groupOf, isObject } from '../load/identity.ts';
import type { Locator, Origin } from '../load/locate.ts';
import { podTemplatesIn } from '../load/pod-templates.ts';
import { type GivenText, readGiven, readSource, readYaml } from '../load/read.ts';
import { launchRules } from './launch-rules.ts';
import { formatPath, type Locate, valueAt } from './schema-errors.ts';
import { isReplaced } from './template-rules.ts';

/**
 * The faults in the order of containers in the pods of other owners, whatever their kind: the admission refuses each of these
 * pods, long after the review in git. Those of planned kinds are reported with their other faults.
 *
 * @param files those that may order containers
 * @param reading what may be read of them
 */
export function foreignLaunchRules(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  { reading, reporting, locator }: { reading: Budget; reporting: Budget; locator: Locator },
): Diagnostic[] {
  return files.flatMap((file) => {
    const { source } = typeof file === 'string' ? readSource(host, file, reading) : readGiven(file, reading);
    if (source === undefined) return [];
    const found = readYaml(
      source,
      reading,
      (value) => foreignObjects(value, []).length > 0,
    ).documents.flatMap(({ value, at }) =>
      foreignObjects(value, []).flatMap(({ object, path }) =>
        faultsOf(object, { source, at, path }, locator),
      ),
    );
    return bounded(found, reporting);
  });
}

/** The objects of a document, or of lists in it, that have pods and are of no planned kind. */
function foreignObjects(
  value: Json,
  path: readonly string[],
): { object: JsonObject; path: readonly string[] }[] {
  if (!isObject(value)) return [];
  if (Array.isArray(value['items']))
    return value['items'].flatMap((item, index) => foreignObjects(item, [...path, 'items', String(index)]));
  const { kind } = value;
  if (typeof kind !== 'string') return [];
  const id = { group: groupOf(value), kind };
  const isPlanned = kindOf(id) !== undefined || podInjectorOf(id) !== undefined;
  return isPlanned || podTemplatesIn(value).length === 0 ? [] : [{ object: value, path }];
}

function faultsOf(object: JsonObject, origin: Origin, locator: Locator): Diagnostic[] {
  const locate: Locate = (path, part) => locator(origin, path, part);
  return podTemplatesIn(object).flatMap(({ path, template }) => {
    const refused = numberedContainers(template).flatMap((container, index) =>
      invalidPriorities(container)
        .map(({ path: at, rule }) => ({ path: [...path, 'spec', 'containers', String(index), ...at], rule }))
        .filter((fault) => !isReplaced(valueAt(object, fault.path)))
        .map((fault) =>
          diagnostic(
            'KR2005',
            { field: formatPath(fault.path), rule: fault.rule },
            locate(fault.path, 'value'),
          ),
        ),
    );
    return [...refused, ...launchRules({ template, ends: false }, path, locate)];
  });
}
