"""The reference solver: every rule applied to plain sets until nothing changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.pointsto.system import ANYWHERE, NO_FILTER, CallKind, Layouts, System

Place = tuple[int, int]  # object, normalised offset


@dataclass
class Naive:
    """Sets of places per variable and per place."""

    system: System
    layouts: Layouts
    var: dict[int, set[Place]] = field(default_factory=dict)
    content: dict[Place, set[Place]] = field(default_factory=dict)
    targets: dict[int, set[int]] = field(default_factory=dict)
    places: set[Place] = field(default_factory=set)

    def shape(self, obj: int) -> int:
        return int(self.system.obj_shape[obj])

    def at(self, obj: int, offset: int) -> Place | None:
        offset = self.layouts.cell_offset(self.shape(obj), offset)
        if offset < 0:
            return None
        self.places.add((obj, offset))
        return (obj, offset)

    def admitted(self, type_filter: int, places: set[Place]) -> set[Place]:
        if type_filter == NO_FILTER:
            return set(places)
        return {p for p in places if self.layouts.admits(type_filter, self.shape(p[0]), p[1])}

    def moved(self, places: set[Place], delta: int) -> set[Place]:
        if delta == ANYWHERE:
            offsets = {p[0]: self.layouts.pointer_offsets(self.shape(p[0])) for p in places}
            found = {self.at(obj, off) for obj, offs in offsets.items() for off in offs}
            return places | {p for p in found if p}
        if delta == 0:
            return set(places)
        return {p for obj, off in places if (p := self.at(obj, off + delta))}

    def into_var(self, var: int, places: set[Place]) -> None:
        kept = self.admitted(int(self.system.var_filter[var]), places)
        self.var.setdefault(var, set()).update(kept)

    def into_place(self, place: Place, places: set[Place]) -> None:
        wanted = self.layouts.content_filter(self.shape(place[0]), place[1])
        self.content.setdefault(place, set()).update(self.admitted(wanted, places))

    def pts(self, var: int) -> set[Place]:
        return self.var.get(var, set())

    def size(self) -> int:
        held = sum(map(len, self.var.values())) + sum(map(len, self.content.values()))
        return held + sum(map(len, self.targets.values())) + len(self.places)

    def run(self) -> None:
        size = -1
        while size != self.size():
            size = self.size()
            self.step()

    def step(self) -> None:
        s = self.system
        for var, obj, off in zip(s.address_var, s.address_obj, s.address_offset, strict=True):
            place = self.at(int(obj), int(off))
            if place:
                self.into_var(int(var), {place})
        for dst, src in zip(s.copy_dst.tolist(), s.copy_src.tolist(), strict=True):
            self.into_var(dst, self.pts(src))
        for row in range(len(s.gep_dst)):
            base = self.admitted(int(s.gep_filter[row]), self.pts(int(s.gep_src[row])))
            self.into_var(int(s.gep_dst[row]), self.moved(base, int(s.gep_delta[row])))
        for dst, ptr in zip(s.load_dst.tolist(), s.load_ptr.tolist(), strict=True):
            for place in set(self.pts(ptr)):
                self.into_var(dst, self.content.get(place, set()))
        for ptr, src in zip(s.store_ptr.tolist(), s.store_src.tolist(), strict=True):
            for place in set(self.pts(ptr)):
                self.into_place(place, self.pts(src))
        for row in range(len(s.memcpy_dst)):
            for d in set(self.pts(int(s.memcpy_dst[row]))):
                for p in set(self.pts(int(s.memcpy_src[row]))):
                    places = (self.shape(d[0]), d[1], self.shape(p[0]), p[1])
                    if d[0] != p[0] and self.layouts.copies(*places):
                        self.copy_memory(d, p, int(s.memcpy_size[row]))
        for call in range(len(s.call_fn)):
            self.call(call)

    def copy_memory(self, dst: Place, src: Place, size: int) -> None:
        step = self.layouts.element_size(self.shape(src[0]))
        for place in [p for p in self.places if p[0] == src[0]]:
            distance = place[1] - src[1]
            if step:
                distance %= step
            if distance < 0 or 0 <= size <= distance:
                continue
            distances = {distance}
            if step and size > step:
                distances.update(range(distance, min(size, 64 * step), step))
            for k in distances:
                target = self.at(dst[0], dst[1] + k)
                if target:
                    self.into_place(target, set(self.content.get(place, set())))

    def call(self, call: int) -> None:
        s = self.system
        if s.call_fn[call] < 0:
            return
        for obj, _ in set(self.pts(int(s.call_fn[call]))):
            func = int(s.obj_func[obj])
            sig = int(s.call_sig[call])
            if func < 0 or (sig >= 0 and not s.sig_match[sig, s.func_sig[func]]):
                continue
            self.targets.setdefault(call, set()).add(func)
            args = s.call_arg[s.call_arg_start[call] : s.call_arg_start[call + 1]].tolist()
            start = s.func_param_start
            params = s.func_param[start[func] : start[func + 1]].tolist()
            if s.call_kind[call] == CallKind.CALLBACK:
                args = [args[0]] * len(params)
            for position, arg in enumerate(args):
                inside = position < len(params)
                param = params[position] if inside else int(s.func_variadic[func])
                if arg >= 0 and param >= 0:
                    self.into_var(param, self.pts(arg))
            result = int((s.func_rest if s.call_func[call] == func else s.func_ret)[func])
            if s.call_ret[call] >= 0 and result >= 0:
                self.into_var(int(s.call_ret[call]), self.pts(result))
