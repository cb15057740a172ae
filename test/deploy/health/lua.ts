import { readFileSync } from 'node:fs';
import { Lua } from 'wasmoon-lua5.1';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';

/** The shipped keys of the ConfigMap of Argo CD. */
export const { data: argoConfig } = parse(
  readFileSync(new URL('../../../deploy/argocd/argocd-cm.yaml', import.meta.url), 'utf8'),
) as { data: Record<string, string> };

/** Makes JSON of what a script returns; it keeps what scripts do not have. */
const ENCODE = `
local format, concat = string.format, table.concat
function encode(v)
  if type(v) ~= "table" then return type(v) == "string" and format("%q", v) or tostring(v) end
  local out = {}
  for k, each in pairs(v) do out[#out + 1] = format("%q", tostring(k)) .. ":" .. encode(each) end
  return "{" .. concat(out, ",") .. "}"
end`;

/** A Lua in which the scripts of Argo CD run. */
export interface Scripts {
  /** What a script returns about `obj`, as JSON: a list has the keys 1, 2 … */
  run(script: string, object: JsonObject): JsonObject;
  /** What the shipped check of a kind says: `apps.kruise.io_CloneSet`. */
  healthOf(kind: string, object: JsonObject): JsonObject;
  close(): void;
}

/**
 * What Argo CD gives scripts of its ConfigMap: `package`, the base functions and `table`, and by `require` an `os` that knows the
 * time. Strings have no methods.
 */
const AS_IN_ARGO_CD = `
local known = { _G = _G, package = package, table = table, os = { time = os.time, date = os.date } }
getmetatable("").__index = nil
for _, name in ipairs({ "string", "os", "io", "math", "debug", "coroutine" }) do
  _G[name] = nil
  package.loaded[name] = known[name]
end`;

/** `hasLibraries`: as Argo CD runs the scripts that are built into it. */
export async function startLua({ hasLibraries = false } = {}): Promise<Scripts> {
  const lua = await Lua.create();
  lua.doStringSync(ENCODE);
  if (!hasLibraries) lua.doStringSync(AS_IN_ARGO_CD);
  const run: Scripts['run'] = (script, object) => {
    const encoded = `return encode((function(obj) ${script}\nend)(${literal(object)}))`;
    return JSON.parse(lua.doStringSync(encoded) as string) as JsonObject;
  };
  return {
    run,
    healthOf: (kind, object) =>
      run(argoConfig[`resource.customizations.health.${kind}`] ?? 'error("there is no check")', object),
    close: () => lua.global.close(),
  };
}

/** A value as a literal of Lua; Argo CD gives a script no field that is null. */
function literal(value: Json | undefined): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `{ ${value.map(literal).join(', ')} }`;
  if (typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([key, each]) => `[${JSON.stringify(key)}] = ${literal(each)}`)
      .join(', ')} }`;
  return JSON.stringify(value);
}
