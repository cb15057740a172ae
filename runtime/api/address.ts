import type {
  DeleteOptions,
  ListOptions,
  Patch,
  Resource,
  WatchOptions,
  WriteOptions,
} from '../../schemas/wire/cluster.ts';

/** The path of all objects of a resource, of those in a namespace, of one object, or of its subresource. */
export function pathOf(
  { group, version, plural, namespaced }: Resource,
  at: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined },
): string {
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespaced && at.namespace ? `/namespaces/${encodeURIComponent(at.namespace)}` : '';
  const object = at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`;
  const part = at.subresource === undefined ? '' : `/${at.subresource}`;
  return `${base}${scope}/${plural}${object}${part}`;
}

type Query = readonly (readonly [name: string, value: string | number | undefined])[];

function queryOf(parts: Query): string {
  let text = '';
  for (const [name, value] of parts) {
    if (value === undefined) continue;
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}

export function listQuery(options: ListOptions): string {
  return queryOf([
    ['labelSelector', options.labelSelector],
    ['fieldSelector', options.fieldSelector],
    ['limit', options.limit],
    ['continue', options.continue],
    ['resourceVersion', options.resourceVersion],
    ['resourceVersionMatch', options.resourceVersionMatch],
  ]);
}

/** @param timeoutSeconds after which the server ends the watch without an error */
export function watchQuery(options: WatchOptions, timeoutSeconds: number): string {
  const { sendInitialEvents } = options;
  return queryOf([
    ['watch', 'true'],
    ['resourceVersion', options.resourceVersion],
    ['allowWatchBookmarks', options.allowBookmarks === true ? 'true' : undefined],
    ['sendInitialEvents', sendInitialEvents === undefined ? undefined : String(sendInitialEvents)],
    // The server requires it together with sendInitialEvents.
    ['resourceVersionMatch', sendInitialEvents === undefined ? undefined : 'NotOlderThan'],
    ['labelSelector', options.labelSelector],
    ['fieldSelector', options.fieldSelector],
    ['timeoutSeconds', timeoutSeconds],
  ]);
}

export function writeQuery(options: WriteOptions, patch?: Patch): string {
  return queryOf([
    ['fieldManager', options.fieldManager],
    ['fieldValidation', options.fieldValidation],
    ['dryRun', options.dryRun === true ? 'All' : undefined],
    ['force', patch?.type === 'apply' && patch.force === true ? 'true' : undefined],
  ]);
}

const patchTypes: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export function contentTypeOf({ type }: Patch): string {
  return patchTypes[type];
}

/** The body of a DELETE; undefined: it has no options. */
export function deleteBody(options: DeleteOptions): object | undefined {
  const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy, dryRun } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  const body = {
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
  return Object.keys(body).length === 0 ? undefined : { kind: 'DeleteOptions', apiVersion: 'v1', ...body };
}
