local hs = { status = "Progressing", message = "waiting for the runtime" }
local s = obj.status
if s == nil or s.observedGeneration ~= obj.metadata.generation then return hs end
for _, c in ipairs(s.conditions or {}) do
  if c.type == "plan.kruise.io/Held" and c.status == "True" then
    hs.status = "Suspended"
    if c.reason == "Halted" or c.reason == "Aborted" or c.reason == "Reverted" or c.reason == "InvalidTarget" or c.reason == "UnsupportedSemantics" then hs.status = "Degraded" end
    hs.message = c.message or c.reason or ""
    return hs
  end
end
local wanted = (obj.spec or {}).replicas or 1
local updated, available = s.updatedReadyReplicas or 0, s.readyReplicas or 0
hs.message = updated .. " of " .. wanted .. " updated, " .. available .. " available"
if updated >= wanted and available >= wanted then hs.status = "Healthy" end
return hs
