import { cruise } from 'dependency-cruiser';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { resolve } from 'node:path';
import type { ICruiseOptions, ICruiseResult, IForbiddenRuleType } from 'dependency-cruiser';

/** The rooms that each room may import; a room may always import itself. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  semantics: ['schemas'],
  compiler: ['schemas', 'semantics'],
  cli: ['schemas', 'semantics', 'compiler', 'runtime', 'sandbox'],
  runtime: ['schemas', 'semantics'],
  sandbox: ['schemas'],
  deploy: ['schemas', 'semantics', 'runtime'],
  examples: ['schemas', 'semantics', 'compiler', 'cli', 'runtime', 'sandbox'],
  test: ['schemas', 'semantics', 'compiler', 'cli', 'runtime', 'sandbox', 'deploy', 'examples'],
};

/** The packages that the code of a room may import. Tools among the files of a room are listed separately. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  semantics: ['re2js'],
  compiler: ['yaml'],
  cli: ['yaml'],
  runtime: ['@kubernetes/client-node', 'js-yaml', 'ws'],
  sandbox: ['croner', 'ipaddr.js', 're2js', 'selfsigned', 'ws', 'yaml'],
};

/** Tests and programs of the house that only run on a developer's machine and may use development packages. */
const tools = '^(schemas/generate/|cli/build/|sandbox/(build|test)/|sandbox/[^/]+\\.config\\.ts$)';

function roomRules(): IForbiddenRuleType[] {
  const all = Object.keys(rooms);
  return Object.entries(rooms).map(([room, allowed]) => {
    const rest = all.filter((other) => other !== room && !allowed.includes(other));
    return {
      name: `${room}-imports-only-${allowed.join('-') || 'itself'}`,
      severity: 'error',
      from: { path: `^${room}/` },
      to: { path: `^(${rest.join('|')})/` },
    };
  });
}

function packageRules(): IForbiddenRuleType[] {
  return Object.entries(packages).map(([room, allowed]) => ({
    name: `${room}-packages`,
    severity: 'error',
    from: { path: `^${room}/`, pathNot: tools },
    to: {
      path: 'node_modules/',
      ...(allowed.length > 0 && { pathNot: `node_modules/(${allowed.join('|')})/` }),
    },
  }));
}

const rules: IForbiddenRuleType[] = [
  ...roomRules(),
  ...packageRules(),
  {
    // It is a package: everybody else uses what its package.json exports, by its name.
    name: 'sandbox-by-name',
    severity: 'error',
    from: { pathNot: '^sandbox/' },
    to: { path: '^sandbox/', dependencyTypesNot: ['aliased'] },
  },
  {
    // It loads slowly, so only a kubeconfig that needs it loads it.
    name: 'client-node-has-one-importer',
    severity: 'error',
    from: { pathNot: `^runtime/api/client-node\\.ts$|${tools}` },
    to: { path: 'node_modules/(@kubernetes/client-node|js-yaml)/' },
  },
  {
    // Types count, too: files in a cycle cannot be read, moved or tested one at a time.
    name: 'no-cycle',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
];

export interface Imports {
  modules: number;
  /** `rule: importer -> imported`; for a cycle all files back to the importer; sorted. */
  violations: string[];
}

/** Follows every import below `folders` of `baseDir` and reports those that the rules of the rooms forbid. */
export async function forbiddenImports(baseDir: string, folders: string[]): Promise<Imports> {
  const options: ICruiseOptions = {
    baseDir: resolve(baseDir),
    ruleSet: { forbidden: rules },
    validate: true,
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(test/house/fixtures|sandbox/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'require', 'default'],
    },
  };
  const { output } = await cruise(folders, options, {}, { tsConfig: extractTsConfig('tsconfig.json') });
  const { modules, summary } = output as ICruiseResult;
  return {
    modules: modules.length,
    violations: summary.violations
      .map(({ rule, from, to, cycle }) => {
        const path = cycle === undefined ? [to] : cycle.map(({ name }) => name);
        return `${rule.name}: ${[from, ...path].join(' -> ').replace(/(?<=-> ).*(?=node_modules\/)/, '')}`;
      })
      .sort(),
  };
}
