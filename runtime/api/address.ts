import type {
  DeleteOptions,
  ListOptions,
  Patch,
  Resource,
  WatchOptions,
  WriteOptions,
} from '../../schemas/wire/cluster.ts';

/** The path of a resource: of all of it, of a namespace's, of one object, of a part of that. */
export function pathOf(
  { group, version, plural, namespaced }: Resource,
  at: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined },
): string {
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = namespaced && at.namespace ? `/namespaces/${encodeURIComponent(at.namespace)}` : '';
  const object = at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`;
  const part = at.subresource === undefined ? '' : `/${at.subresource}`;
  return `${base}${place}/${plural}${object}${part}`;
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

/** `timeoutSeconds`: when the server is to end the watch in order. */
export function watchQuery(options: WatchOptions, timeoutSeconds: number): string {
  const { sendInitialEvents } = options;
  return queryOf([
    ['watch', 'true'],
    ['resourceVersion', options.resourceVersion],
    ['allowWatchBookmarks', options.allowBookmarks === true ? 'true' : undefined],
    ['sendInitialEvents', sendInitialEvents === undefined ? undefined : String(sendInitialEvents)],
    // The server wants it said wherever initial events are spoken of.
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

/** The body of a DELETE; undefined when nothing is asked for but the deletion. */
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
