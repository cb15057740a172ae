import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Served, ServedVersion } from '../api/registry.ts';
import type { ApiServer } from '../api/server.ts';
import { clusterColumns } from './cluster.ts';
import { createdAtColumn, nameColumn, type Column } from './column.ts';
import { customColumns } from './custom.ts';
import { networkColumns } from './network.ts';
import { podColumns, podRowConditions } from './pod.ts';
import { customScaleColumns, scaleColumns, scalingColumns } from './scaling.ts';
import { storageColumns } from './storage.ts';
import { workloadColumns } from './workloads.ts';

export interface TableOptions {
  /** The includeObject option. */
  includeObject: 'None' | 'Metadata' | 'Object';
  /** Of meta.k8s.io. */
  version: 'v1' | 'v1beta1';
  /** Whether column definitions are included; a watch sends them once. */
  headers: boolean;
}

const builtInColumns = new Map<string, readonly Column[]>([
  ['pods', podColumns],
  ...Object.entries(workloadColumns),
  ...Object.entries(networkColumns),
  ...Object.entries(storageColumns),
  ...Object.entries(clusterColumns),
  ...Object.entries(scalingColumns),
]);

const plainColumns: readonly Column[] = [nameColumn, createdAtColumn];

const columnsByVersion = new WeakMap<ServedVersion, readonly Column[]>();

function columnsOf({ type, version }: Served, first: KubeObject | undefined): readonly Column[] {
  if (first?.kind === 'Scale') return type.custom ? customScaleColumns : scaleColumns;
  if (!type.custom) return builtInColumns.get(type.id) ?? plainColumns;
  let columns = columnsByVersion.get(version);
  if (columns === undefined) columnsByVersion.set(version, (columns = customColumns(version.columns ?? [])));
  return columns;
}

function objectOf(object: KubeObject, { includeObject, version }: TableOptions): unknown {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Object':
      return object;
    case 'Metadata':
      return {
        kind: 'PartialObjectMetadata',
        apiVersion: `meta.k8s.io/${version}`,
        metadata: object.metadata,
      };
  }
}

/**
 * A list or a single object as the meta.k8s.io Table that `kubectl get` prints. Without `metadata` the table has
 * the resourceVersion of its object. Ages are relative to the server's time.
 */
export function tableOf(
  server: Pick<ApiServer, 'now'>,
  served: Served,
  list: { items: readonly KubeObject[]; metadata?: object },
  options: TableOptions,
): unknown {
  const now = server.now();
  const [first] = list.items;
  const columns = columnsOf(served, first);
  const rowConditions = served.type.id === 'pods' ? podRowConditions : () => undefined;
  const { conversion } = served.version;
  const rows = list.items.map((object) => {
    const conditions = rowConditions(object);
    const included =
      conversion === undefined || object.kind === 'Scale' ? object : conversion.toStored(object);
    return {
      cells: columns.map(({ cell }) => cell(included, now)),
      ...(conditions === undefined ? {} : { conditions }),
      object: objectOf(object, options),
    };
  });
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: list.metadata ?? { resourceVersion: first?.metadata.resourceVersion ?? '' },
    columnDefinitions: options.headers
      ? columns.map(({ name, type, format, description, priority }) => ({
          name,
          type,
          format,
          description,
          priority,
        }))
      : null,
    // Custom kinds return null rows for an empty list.
    rows: list.items.length === 0 && served.type.custom ? null : rows,
  };
}
