; Made from decode.c by make_kernel.py; see there.
define i32 @decode(ptr %0) {
  %2 = load i64, ptr %0, align 8
  %3 = inttoptr i64 %2 to ptr
  %4 = getelementptr inbounds i8, ptr %0, i64 16
  %5 = load i64, ptr %4, align 8
  %6 = inttoptr i64 %5 to ptr
  %7 = getelementptr inbounds i8, ptr %0, i64 32
  %8 = load i64, ptr %7, align 8
  %9 = inttoptr i64 %8 to ptr
  %10 = getelementptr inbounds i8, ptr %0, i64 48
  %11 = load i64, ptr %10, align 8
  %12 = inttoptr i64 %11 to ptr
  %13 = getelementptr inbounds i8, ptr %0, i64 64
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds i8, ptr %0, i64 96
  %16 = load i64, ptr %15, align 8
  %17 = getelementptr inbounds i8, ptr %0, i64 72
  %18 = getelementptr inbounds i8, ptr %0, i64 8
  %19 = getelementptr inbounds i8, ptr %0, i64 80
  %20 = getelementptr inbounds i8, ptr %0, i64 104
  %21 = getelementptr inbounds i8, ptr %0, i64 24
  %22 = getelementptr inbounds i8, ptr %0, i64 112
  %23 = getelementptr inbounds i8, ptr %0, i64 40
  %24 = getelementptr inbounds i8, ptr %0, i64 56
  %25 = getelementptr inbounds i8, ptr %0, i64 88
  br label %26

26:                                               ; preds = %729, %1
  %27 = phi i64 [ %730, %729 ], [ %14, %1 ]
  %28 = phi i64 [ %733, %729 ], [ %16, %1 ]
  %29 = load i64, ptr %17, align 8
  %30 = icmp ult i64 %27, %29
  br i1 %30, label %31, label %737

31:                                               ; preds = %26, %195
  %32 = phi i64 [ %170, %195 ], [ %27, %26 ]
  %33 = load i64, ptr %18, align 8
  %34 = load i64, ptr %19, align 8
  %35 = add i64 %34, %32
  %36 = icmp ugt i64 %35, %33
  br i1 %36, label %737, label %37

37:                                               ; preds = %31
  %38 = lshr i64 %32, 3
  %39 = getelementptr inbounds i8, ptr %3, i64 %38
  %40 = load i64, ptr %39, align 1
  %41 = and i64 %32, 7
  %42 = lshr i64 %40, %41
  %43 = shl i64 -1, %34
  %44 = xor i64 %43, -1
  %45 = and i64 %42, %44
  switch i64 %45, label %363 [
    i64 0, label %46
    i64 2, label %47
    i64 1, label %201
    i64 3, label %273
  ]

46:                                               ; preds = %37
  store i64 %35, ptr %13, align 8
  br label %737

47:                                               ; preds = %37
  %48 = load i64, ptr %4, align 8
  %49 = inttoptr i64 %48 to ptr
  %50 = load i64, ptr %7, align 8
  %51 = inttoptr i64 %50 to ptr
  %52 = load i64, ptr %20, align 8
  br label %53

53:                                               ; preds = %61, %47
  %54 = phi i64 [ %35, %47 ], [ %57, %61 ]
  %55 = phi i64 [ 0, %47 ], [ %70, %61 ]
  %56 = phi i64 [ 0, %47 ], [ %69, %61 ]
  %57 = add i64 %54, 5
  %58 = icmp ugt i64 %57, %33
  br i1 %58, label %737, label %59

59:                                               ; preds = %53
  %60 = icmp ugt i64 %55, 63
  br i1 %60, label %737, label %61

61:                                               ; preds = %59
  %62 = lshr i64 %54, 3
  %63 = getelementptr inbounds i8, ptr %3, i64 %62
  %64 = load i64, ptr %63, align 1
  %65 = and i64 %54, 7
  %66 = lshr i64 %64, %65
  %67 = and i64 %66, 15
  %68 = shl i64 %67, %55
  %69 = or i64 %68, %56
  %70 = add i64 %55, 4
  %71 = and i64 %66, 16
  %72 = icmp eq i64 %71, 0
  br i1 %72, label %73, label %53

73:                                               ; preds = %61
  %74 = add i64 %69, -1025
  %75 = icmp ult i64 %74, -1024
  br i1 %75, label %737, label %76

76:                                               ; preds = %73
  %77 = shl i64 %69, 1
  %78 = load i64, ptr %21, align 8
  %79 = sub i64 %78, %52
  %80 = icmp ult i64 %77, %79
  br i1 %80, label %81, label %737

81:                                               ; preds = %76
  %82 = load i64, ptr %22, align 8
  %83 = load i64, ptr %23, align 8
  %84 = icmp ult i64 %82, %83
  br i1 %84, label %85, label %737

85:                                               ; preds = %81
  %86 = getelementptr inbounds i64, ptr %49, i64 %52
  store i64 %69, ptr %86, align 8
  %87 = add i64 %52, 1
  br label %88

88:                                               ; preds = %187, %85
  %89 = phi i64 [ %57, %85 ], [ %170, %187 ]
  %90 = phi i64 [ %87, %85 ], [ %193, %187 ]
  %91 = phi i64 [ 0, %85 ], [ %192, %187 ]
  %92 = phi i32 [ 0, %85 ], [ %188, %187 ]
  %93 = phi i64 [ %52, %85 ], [ %189, %187 ]
  %94 = icmp eq i32 %92, 0
  br i1 %94, label %95, label %737

95:                                               ; preds = %88
  %96 = load i64, ptr %18, align 8
  %97 = add i64 %89, 1
  %98 = icmp ugt i64 %97, %96
  br i1 %98, label %737, label %99

99:                                               ; preds = %95
  %100 = lshr i64 %89, 3
  %101 = getelementptr inbounds i8, ptr %3, i64 %100
  %102 = load i64, ptr %101, align 1
  %103 = and i64 %89, 7
  %104 = shl i64 1, %103
  %105 = and i64 %102, %104
  %106 = icmp eq i64 %105, 0
  br i1 %106, label %128, label %107

107:                                              ; preds = %99
  %108 = and i64 %97, 7
  br label %109

109:                                              ; preds = %117, %107
  %110 = phi i64 [ %97, %107 ], [ %113, %117 ]
  %111 = phi i64 [ 0, %107 ], [ %125, %117 ]
  %112 = phi i64 [ 0, %107 ], [ %124, %117 ]
  %113 = add i64 %110, 8
  %114 = icmp ugt i64 %113, %96
  br i1 %114, label %737, label %115

115:                                              ; preds = %109
  %116 = icmp ugt i64 %111, 63
  br i1 %116, label %737, label %117

117:                                              ; preds = %115
  %118 = lshr i64 %110, 3
  %119 = getelementptr inbounds i8, ptr %3, i64 %118
  %120 = load i64, ptr %119, align 1
  %121 = lshr i64 %120, %108
  %122 = and i64 %121, 127
  %123 = shl i64 %122, %111
  %124 = or i64 %123, %112
  %125 = add i64 %111, 7
  %126 = and i64 %121, 128
  %127 = icmp eq i64 %126, 0
  br i1 %127, label %169, label %109

128:                                              ; preds = %99
  %129 = add i64 %89, 4
  %130 = icmp ugt i64 %129, %96
  br i1 %130, label %737, label %131

131:                                              ; preds = %128
  %132 = lshr i64 %97, 3
  %133 = getelementptr inbounds i8, ptr %3, i64 %132
  %134 = load i64, ptr %133, align 1
  %135 = and i64 %97, 7
  %136 = lshr i64 %134, %135
  %137 = and i64 %136, 7
  %138 = add i64 %137, -1
  %139 = icmp ult i64 %138, 2
  br i1 %139, label %140, label %166

140:                                              ; preds = %131, %148
  %141 = phi i64 [ %144, %148 ], [ %129, %131 ]
  %142 = phi i64 [ %157, %148 ], [ 0, %131 ]
  %143 = phi i64 [ %156, %148 ], [ 0, %131 ]
  %144 = add i64 %141, 5
  %145 = icmp ugt i64 %144, %96
  br i1 %145, label %737, label %146

146:                                              ; preds = %140
  %147 = icmp ugt i64 %142, 63
  br i1 %147, label %737, label %148

148:                                              ; preds = %146
  %149 = lshr i64 %141, 3
  %150 = getelementptr inbounds i8, ptr %3, i64 %149
  %151 = load i64, ptr %150, align 1
  %152 = and i64 %141, 7
  %153 = lshr i64 %151, %152
  %154 = and i64 %153, 15
  %155 = shl i64 %154, %142
  %156 = or i64 %155, %143
  %157 = add i64 %142, 4
  %158 = and i64 %153, 16
  %159 = icmp eq i64 %158, 0
  br i1 %159, label %160, label %140

160:                                              ; preds = %148
  %161 = icmp ugt i64 %156, 32
  br i1 %161, label %737, label %162

162:                                              ; preds = %160
  %163 = icmp eq i64 %137, 2
  %164 = icmp eq i64 %156, 1
  %165 = and i1 %163, %164
  br i1 %165, label %737, label %169

166:                                              ; preds = %131
  %167 = add i64 %137, -6
  %168 = icmp ult i64 %167, -3
  br i1 %168, label %737, label %169

169:                                              ; preds = %117, %166, %162
  %170 = phi i64 [ %144, %162 ], [ %129, %166 ], [ %113, %117 ]
  %171 = phi i64 [ %137, %162 ], [ %137, %166 ], [ 0, %117 ]
  %172 = phi i64 [ %156, %162 ], [ 0, %166 ], [ %124, %117 ]
  %173 = icmp eq i64 %91, 0
  br i1 %173, label %180, label %174

174:                                              ; preds = %169
  %175 = getelementptr i64, ptr %49, i64 %93
  %176 = getelementptr i8, ptr %175, i64 -8
  %177 = load i64, ptr %176, align 8
  %178 = icmp eq i64 %177, 3
  br i1 %178, label %179, label %180

179:                                              ; preds = %174
  switch i64 %171, label %737 [
    i64 4, label %187
    i64 2, label %187
    i64 1, label %187
  ]

180:                                              ; preds = %174, %169
  %181 = icmp eq i64 %171, 3
  switch i64 %171, label %187 [
    i64 5, label %182
    i64 3, label %182
  ]

182:                                              ; preds = %180, %180
  br i1 %173, label %737, label %183

183:                                              ; preds = %182
  %184 = select i1 %181, i64 2, i64 1
  %185 = add i64 %184, %91
  %186 = icmp eq i64 %185, %69
  br i1 %186, label %187, label %737

187:                                              ; preds = %183, %180, %179, %179, %179
  %188 = phi i32 [ 0, %180 ], [ 0, %183 ], [ 1, %179 ], [ 1, %179 ], [ 1, %179 ]
  %189 = add i64 %93, 2
  %190 = getelementptr inbounds i64, ptr %49, i64 %90
  store i64 %171, ptr %190, align 8
  %191 = getelementptr inbounds i64, ptr %49, i64 %189
  store i64 %172, ptr %191, align 8
  %192 = add i64 %91, 1
  %193 = add i64 %93, 3
  %194 = icmp eq i64 %192, %69
  br i1 %194, label %195, label %88

195:                                              ; preds = %187
  %196 = load i64, ptr %22, align 8
  %197 = add i64 %196, 1
  store i64 %197, ptr %22, align 8
  %198 = getelementptr inbounds i64, ptr %51, i64 %196
  store i64 %52, ptr %198, align 8
  store i64 %193, ptr %20, align 8
  store i64 %170, ptr %13, align 8
  %199 = load i64, ptr %17, align 8
  %200 = icmp ult i64 %170, %199
  br i1 %200, label %31, label %737

201:                                              ; preds = %37
  %202 = load i64, ptr %10, align 8
  %203 = inttoptr i64 %202 to ptr
  %204 = load i64, ptr %24, align 8
  %205 = sub i64 %204, %28
  %206 = icmp ult i64 %205, 6
  br i1 %206, label %737, label %207

207:                                              ; preds = %201
  %208 = and i64 %35, 7
  br label %209

209:                                              ; preds = %217, %207
  %210 = phi i64 [ %35, %207 ], [ %213, %217 ]
  %211 = phi i64 [ 0, %207 ], [ %225, %217 ]
  %212 = phi i64 [ 0, %207 ], [ %224, %217 ]
  %213 = add i64 %210, 8
  %214 = icmp ugt i64 %213, %33
  br i1 %214, label %737, label %215

215:                                              ; preds = %209
  %216 = icmp ugt i64 %211, 63
  br i1 %216, label %737, label %217

217:                                              ; preds = %215
  %218 = lshr i64 %210, 3
  %219 = getelementptr inbounds i8, ptr %3, i64 %218
  %220 = load i64, ptr %219, align 1
  %221 = lshr i64 %220, %208
  %222 = and i64 %221, 127
  %223 = shl i64 %222, %211
  %224 = or i64 %223, %212
  %225 = add i64 %211, 7
  %226 = and i64 %221, 128
  %227 = icmp eq i64 %226, 0
  br i1 %227, label %228, label %209

228:                                              ; preds = %217, %236
  %229 = phi i64 [ %232, %236 ], [ %213, %217 ]
  %230 = phi i64 [ %245, %236 ], [ 0, %217 ]
  %231 = phi i64 [ %244, %236 ], [ 0, %217 ]
  %232 = add i64 %229, 4
  %233 = icmp ugt i64 %232, %33
  br i1 %233, label %737, label %234

234:                                              ; preds = %228
  %235 = icmp ugt i64 %230, 63
  br i1 %235, label %737, label %236

236:                                              ; preds = %234
  %237 = lshr i64 %229, 3
  %238 = getelementptr inbounds i8, ptr %3, i64 %237
  %239 = load i64, ptr %238, align 1
  %240 = and i64 %229, 7
  %241 = lshr i64 %239, %240
  %242 = and i64 %241, 7
  %243 = shl i64 %242, %230
  %244 = or i64 %243, %231
  %245 = add i64 %230, 3
  %246 = and i64 %241, 8
  %247 = icmp eq i64 %246, 0
  br i1 %247, label %248, label %228

248:                                              ; preds = %236
  %249 = add i64 %229, 35
  %250 = and i64 %249, -32
  %251 = add i64 %250, 32
  %252 = icmp ugt i64 %251, %33
  br i1 %252, label %737, label %253

253:                                              ; preds = %248
  %254 = lshr exact i64 %250, 3
  %255 = getelementptr inbounds i8, ptr %3, i64 %254
  %256 = load i64, ptr %255, align 1
  %257 = shl i64 %256, 5
  %258 = and i64 %257, 137438953440
  %259 = sub i64 %33, %251
  %260 = icmp ugt i64 %258, %259
  %261 = add i64 %244, -33
  %262 = icmp ult i64 %261, -31
  %263 = select i1 %260, i1 true, i1 %262
  br i1 %263, label %737, label %264

264:                                              ; preds = %253
  %265 = getelementptr inbounds i64, ptr %203, i64 %28
  store i64 4294967296, ptr %265, align 8
  %266 = add i64 %28, 6
  %267 = getelementptr i8, ptr %265, i64 8
  store i64 %266, ptr %267, align 8
  %268 = getelementptr i8, ptr %265, i64 16
  store i64 %224, ptr %268, align 8
  %269 = getelementptr i8, ptr %265, i64 24
  store i64 %244, ptr %269, align 8
  %270 = getelementptr i8, ptr %265, i64 32
  store i64 %251, ptr %270, align 8
  %271 = add i64 %258, %251
  %272 = getelementptr i8, ptr %265, i64 40
  store i64 %271, ptr %272, align 8
  br label %729

273:                                              ; preds = %37
  %274 = load i64, ptr %10, align 8
  %275 = inttoptr i64 %274 to ptr
  br label %276

276:                                              ; preds = %284, %273
  %277 = phi i64 [ %35, %273 ], [ %280, %284 ]
  %278 = phi i64 [ 0, %273 ], [ %293, %284 ]
  %279 = phi i64 [ 0, %273 ], [ %292, %284 ]
  %280 = add i64 %277, 6
  %281 = icmp ugt i64 %280, %33
  br i1 %281, label %737, label %282

282:                                              ; preds = %276
  %283 = icmp ugt i64 %278, 63
  br i1 %283, label %737, label %284

284:                                              ; preds = %282
  %285 = lshr i64 %277, 3
  %286 = getelementptr inbounds i8, ptr %3, i64 %285
  %287 = load i64, ptr %286, align 1
  %288 = and i64 %277, 7
  %289 = lshr i64 %287, %288
  %290 = and i64 %289, 31
  %291 = shl i64 %290, %278
  %292 = or i64 %291, %279
  %293 = add i64 %278, 5
  %294 = and i64 %289, 32
  %295 = icmp eq i64 %294, 0
  br i1 %295, label %296, label %276

296:                                              ; preds = %284, %304
  %297 = phi i64 [ %300, %304 ], [ %280, %284 ]
  %298 = phi i64 [ %313, %304 ], [ 0, %284 ]
  %299 = phi i64 [ %312, %304 ], [ 0, %284 ]
  %300 = add i64 %297, 6
  %301 = icmp ugt i64 %300, %33
  br i1 %301, label %737, label %302

302:                                              ; preds = %296
  %303 = icmp ugt i64 %298, 63
  br i1 %303, label %737, label %304

304:                                              ; preds = %302
  %305 = lshr i64 %297, 3
  %306 = getelementptr inbounds i8, ptr %3, i64 %305
  %307 = load i64, ptr %306, align 1
  %308 = and i64 %297, 7
  %309 = lshr i64 %307, %308
  %310 = and i64 %309, 31
  %311 = shl i64 %310, %298
  %312 = or i64 %311, %299
  %313 = add i64 %298, 5
  %314 = and i64 %309, 32
  %315 = icmp eq i64 %314, 0
  br i1 %315, label %316, label %296

316:                                              ; preds = %304
  %317 = icmp ugt i64 %292, 4294967295
  br i1 %317, label %737, label %318

318:                                              ; preds = %316
  %319 = sub i64 %33, %300
  %320 = udiv i64 %319, 6
  %321 = icmp ugt i64 %312, %320
  br i1 %321, label %737, label %322

322:                                              ; preds = %318
  %323 = add i64 %312, 2
  %324 = load i64, ptr %24, align 8
  %325 = sub i64 %324, %28
  %326 = icmp ugt i64 %323, %325
  br i1 %326, label %737, label %327

327:                                              ; preds = %322
  %328 = getelementptr inbounds i64, ptr %275, i64 %28
  store i64 %292, ptr %328, align 8
  %329 = add i64 %28, 2
  %330 = add i64 %312, %329
  %331 = getelementptr i8, ptr %328, i64 8
  store i64 %330, ptr %331, align 8
  %332 = icmp eq i64 %312, 0
  br i1 %332, label %729, label %333

333:                                              ; preds = %327
  %334 = getelementptr i64, ptr %275, i64 %329
  br label %335

335:                                              ; preds = %360, %333
  %336 = phi i64 [ %300, %333 ], [ %344, %360 ]
  %337 = phi i64 [ 0, %333 ], [ %361, %360 ]
  %338 = load i64, ptr %18, align 8
  %339 = getelementptr i64, ptr %334, i64 %337
  br label %340

340:                                              ; preds = %348, %335
  %341 = phi i64 [ %336, %335 ], [ %344, %348 ]
  %342 = phi i64 [ 0, %335 ], [ %357, %348 ]
  %343 = phi i64 [ 0, %335 ], [ %356, %348 ]
  %344 = add i64 %341, 6
  %345 = icmp ugt i64 %344, %338
  br i1 %345, label %737, label %346

346:                                              ; preds = %340
  %347 = icmp ugt i64 %342, 63
  br i1 %347, label %737, label %348

348:                                              ; preds = %346
  %349 = lshr i64 %341, 3
  %350 = getelementptr inbounds i8, ptr %3, i64 %349
  %351 = load i64, ptr %350, align 1
  %352 = and i64 %341, 7
  %353 = lshr i64 %351, %352
  %354 = and i64 %353, 31
  %355 = shl i64 %354, %342
  %356 = or i64 %355, %343
  %357 = add i64 %342, 5
  %358 = and i64 %353, 32
  %359 = icmp eq i64 %358, 0
  br i1 %359, label %360, label %340

360:                                              ; preds = %348
  store i64 %356, ptr %339, align 8
  %361 = add i64 %337, 1
  %362 = icmp eq i64 %361, %312
  br i1 %362, label %729, label %335

363:                                              ; preds = %37
  %364 = add i64 %45, -4
  %365 = load i64, ptr %22, align 8
  %366 = icmp ult i64 %364, %365
  br i1 %366, label %367, label %737

367:                                              ; preds = %363
  %368 = getelementptr inbounds i64, ptr %9, i64 %364
  %369 = load i64, ptr %368, align 8
  %370 = getelementptr inbounds i64, ptr %6, i64 %369
  %371 = load i64, ptr %10, align 8
  %372 = inttoptr i64 %371 to ptr
  %373 = getelementptr inbounds i8, ptr %370, i64 8
  %374 = load i64, ptr %370, align 8
  %375 = add i64 %374, 3
  %376 = load i64, ptr %24, align 8
  %377 = sub i64 %376, %28
  %378 = icmp ugt i64 %375, %377
  br i1 %378, label %737, label %379

379:                                              ; preds = %367
  %380 = load i64, ptr %373, align 8
  %381 = getelementptr inbounds i8, ptr %370, i64 16
  %382 = load i64, ptr %381, align 8
  switch i64 %380, label %407 [
    i64 0, label %447
    i64 4, label %383
  ]

383:                                              ; preds = %379
  %384 = add i64 %35, 6
  %385 = icmp ugt i64 %384, %33
  br i1 %385, label %737, label %386

386:                                              ; preds = %383
  %387 = lshr i64 %35, 3
  %388 = getelementptr inbounds i8, ptr %3, i64 %387
  %389 = load i64, ptr %388, align 1
  %390 = and i64 %35, 7
  %391 = lshr i64 %389, %390
  %392 = and i64 %391, 63
  %393 = icmp ult i64 %392, 26
  br i1 %393, label %394, label %396

394:                                              ; preds = %386
  %395 = add i64 %392, 97
  br label %451

396:                                              ; preds = %386
  %397 = icmp ult i64 %392, 52
  br i1 %397, label %398, label %400

398:                                              ; preds = %396
  %399 = add i64 %392, 39
  br label %451

400:                                              ; preds = %396
  %401 = icmp ult i64 %392, 62
  br i1 %401, label %402, label %404

402:                                              ; preds = %400
  %403 = add i64 %392, -4
  br label %451

404:                                              ; preds = %400
  %405 = icmp eq i64 %392, 62
  %406 = select i1 %405, i64 46, i64 95
  br label %451

407:                                              ; preds = %379
  %408 = icmp eq i64 %382, 0
  br i1 %408, label %451, label %409

409:                                              ; preds = %407
  %410 = icmp eq i64 %380, 1
  br i1 %410, label %411, label %423

411:                                              ; preds = %409
  %412 = add i64 %382, %35
  %413 = icmp ugt i64 %412, %33
  br i1 %413, label %737, label %414

414:                                              ; preds = %411
  %415 = lshr i64 %35, 3
  %416 = getelementptr inbounds i8, ptr %3, i64 %415
  %417 = load i64, ptr %416, align 1
  %418 = and i64 %35, 7
  %419 = lshr i64 %417, %418
  %420 = shl i64 -1, %382
  %421 = xor i64 %420, -1
  %422 = and i64 %419, %421
  br label %447

423:                                              ; preds = %409
  %424 = add i64 %382, -1
  %425 = shl i64 1, %424
  %426 = add i64 %425, -1
  br label %427

427:                                              ; preds = %435, %423
  %428 = phi i64 [ %35, %423 ], [ %431, %435 ]
  %429 = phi i64 [ 0, %423 ], [ %444, %435 ]
  %430 = phi i64 [ 0, %423 ], [ %443, %435 ]
  %431 = add i64 %428, %382
  %432 = icmp ugt i64 %431, %33
  br i1 %432, label %737, label %433

433:                                              ; preds = %427
  %434 = icmp ugt i64 %429, 63
  br i1 %434, label %737, label %435

435:                                              ; preds = %433
  %436 = lshr i64 %428, 3
  %437 = getelementptr inbounds i8, ptr %3, i64 %436
  %438 = load i64, ptr %437, align 1
  %439 = and i64 %428, 7
  %440 = lshr i64 %438, %439
  %441 = and i64 %440, %426
  %442 = shl i64 %441, %429
  %443 = or i64 %442, %430
  %444 = add i64 %429, %424
  %445 = and i64 %440, %425
  %446 = icmp eq i64 %445, 0
  br i1 %446, label %447, label %427

447:                                              ; preds = %435, %414, %379
  %448 = phi i64 [ %412, %414 ], [ %35, %379 ], [ %431, %435 ]
  %449 = phi i64 [ %422, %414 ], [ %382, %379 ], [ %443, %435 ]
  %450 = icmp ugt i64 %449, 4294967295
  br i1 %450, label %737, label %451

451:                                              ; preds = %447, %407, %404, %402, %398, %394
  %452 = phi i64 [ %35, %407 ], [ %448, %447 ], [ %384, %394 ], [ %384, %398 ], [ %384, %402 ], [ %384, %404 ]
  %453 = phi i64 [ 0, %407 ], [ %449, %447 ], [ %395, %394 ], [ %399, %398 ], [ %403, %402 ], [ %406, %404 ]
  %454 = add i64 %28, 2
  %455 = icmp ugt i64 %374, 1
  br i1 %455, label %456, label %719

456:                                              ; preds = %451, %715
  %457 = phi i64 [ %716, %715 ], [ %452, %451 ]
  %458 = phi i64 [ %717, %715 ], [ 1, %451 ]
  %459 = phi ptr [ %461, %715 ], [ %373, %451 ]
  %460 = phi i64 [ %638, %715 ], [ %454, %451 ]
  %461 = getelementptr inbounds i8, ptr %459, i64 16
  %462 = load i64, ptr %461, align 8
  switch i64 %462, label %634 [
    i64 3, label %463
    i64 5, label %594
  ]

463:                                              ; preds = %456
  %464 = getelementptr inbounds i8, ptr %459, i64 32
  %465 = load i64, ptr %10, align 8
  %466 = inttoptr i64 %465 to ptr
  %467 = load i64, ptr %464, align 8
  %468 = icmp eq i64 %467, 4
  br i1 %468, label %472, label %469

469:                                              ; preds = %463
  %470 = getelementptr inbounds i8, ptr %459, i64 40
  %471 = load i64, ptr %470, align 8
  br label %472

472:                                              ; preds = %469, %463
  %473 = phi i64 [ %471, %469 ], [ 6, %463 ]
  %474 = load i64, ptr %18, align 8
  br label %475

475:                                              ; preds = %483, %472
  %476 = phi i64 [ %457, %472 ], [ %479, %483 ]
  %477 = phi i64 [ 0, %472 ], [ %492, %483 ]
  %478 = phi i64 [ 0, %472 ], [ %491, %483 ]
  %479 = add i64 %476, 6
  %480 = icmp ugt i64 %479, %474
  br i1 %480, label %737, label %481

481:                                              ; preds = %475
  %482 = icmp ugt i64 %477, 63
  br i1 %482, label %737, label %483

483:                                              ; preds = %481
  %484 = lshr i64 %476, 3
  %485 = getelementptr inbounds i8, ptr %3, i64 %484
  %486 = load i64, ptr %485, align 1
  %487 = and i64 %476, 7
  %488 = lshr i64 %486, %487
  %489 = and i64 %488, 31
  %490 = shl i64 %489, %477
  %491 = or i64 %490, %478
  %492 = add i64 %477, 5
  %493 = and i64 %488, 32
  %494 = icmp eq i64 %493, 0
  br i1 %494, label %495, label %475

495:                                              ; preds = %483
  %496 = sub i64 %474, %479
  %497 = tail call i64 @llvm.umax.i64(i64 %473, i64 1)
  %498 = udiv i64 %496, %497
  %499 = icmp ugt i64 %491, %498
  br i1 %499, label %737, label %500

500:                                              ; preds = %495
  %501 = load i64, ptr %24, align 8
  %502 = sub i64 %501, %460
  %503 = icmp ugt i64 %491, %502
  br i1 %503, label %737, label %504

504:                                              ; preds = %500
  %505 = icmp eq i64 %491, 0
  br i1 %505, label %591, label %506

506:                                              ; preds = %504
  %507 = icmp eq i64 %473, 0
  %508 = icmp eq i64 %467, 1
  %509 = add i64 %473, -1
  %510 = shl i64 1, %509
  %511 = add i64 %510, -1
  %512 = shl i64 -1, %473
  %513 = xor i64 %512, -1
  %514 = getelementptr i64, ptr %466, i64 %460
  br label %515

515:                                              ; preds = %587, %506
  %516 = phi i64 [ %479, %506 ], [ %588, %587 ]
  %517 = phi i64 [ 0, %506 ], [ %589, %587 ]
  %518 = load i64, ptr %18, align 8
  %519 = getelementptr i64, ptr %514, i64 %517
  switch i64 %467, label %550 [
    i64 0, label %584
    i64 4, label %520
  ]

520:                                              ; preds = %515
  %521 = add i64 %516, 6
  %522 = icmp ugt i64 %521, %518
  br i1 %522, label %523, label %525

523:                                              ; preds = %520
  %524 = load i64, ptr %519, align 8
  br label %531

525:                                              ; preds = %520
  %526 = lshr i64 %516, 3
  %527 = getelementptr inbounds i8, ptr %3, i64 %526
  %528 = load i64, ptr %527, align 1
  %529 = and i64 %516, 7
  %530 = lshr i64 %528, %529
  br label %531

531:                                              ; preds = %523, %525
  %532 = phi i64 [ %524, %523 ], [ %530, %525 ]
  %533 = phi i64 [ %516, %523 ], [ %521, %525 ]
  %534 = phi i32 [ 3, %523 ], [ 0, %525 ]
  %535 = and i64 %532, 63
  %536 = icmp ult i64 %535, 26
  br i1 %536, label %537, label %539

537:                                              ; preds = %531
  %538 = add i64 %535, 97
  br label %582

539:                                              ; preds = %531
  %540 = icmp ult i64 %535, 52
  br i1 %540, label %541, label %543

541:                                              ; preds = %539
  %542 = add i64 %535, 39
  br label %582

543:                                              ; preds = %539
  %544 = icmp ult i64 %535, 62
  br i1 %544, label %545, label %547

545:                                              ; preds = %543
  %546 = add i64 %535, -4
  br label %582

547:                                              ; preds = %543
  %548 = icmp eq i64 %535, 62
  %549 = select i1 %548, i64 46, i64 95
  br label %582

550:                                              ; preds = %515
  br i1 %507, label %584, label %551

551:                                              ; preds = %550
  br i1 %508, label %552, label %562

552:                                              ; preds = %551
  %553 = add i64 %516, %473
  %554 = icmp ugt i64 %553, %518
  br i1 %554, label %737, label %555

555:                                              ; preds = %552
  %556 = lshr i64 %516, 3
  %557 = getelementptr inbounds i8, ptr %3, i64 %556
  %558 = load i64, ptr %557, align 1
  %559 = and i64 %516, 7
  %560 = lshr i64 %558, %559
  %561 = and i64 %560, %513
  br label %584

562:                                              ; preds = %551, %570
  %563 = phi i64 [ %566, %570 ], [ %516, %551 ]
  %564 = phi i64 [ %579, %570 ], [ 0, %551 ]
  %565 = phi i64 [ %578, %570 ], [ 0, %551 ]
  %566 = add i64 %563, %473
  %567 = icmp ugt i64 %566, %518
  br i1 %567, label %737, label %568

568:                                              ; preds = %562
  %569 = icmp ugt i64 %564, 63
  br i1 %569, label %737, label %570

570:                                              ; preds = %568
  %571 = lshr i64 %563, 3
  %572 = getelementptr inbounds i8, ptr %3, i64 %571
  %573 = load i64, ptr %572, align 1
  %574 = and i64 %563, 7
  %575 = lshr i64 %573, %574
  %576 = and i64 %575, %511
  %577 = shl i64 %576, %564
  %578 = or i64 %577, %565
  %579 = add i64 %564, %509
  %580 = and i64 %575, %510
  %581 = icmp eq i64 %580, 0
  br i1 %581, label %584, label %562

582:                                              ; preds = %547, %545, %541, %537
  %583 = phi i64 [ %538, %537 ], [ %542, %541 ], [ %546, %545 ], [ %549, %547 ]
  store i64 %583, ptr %519, align 8
  br i1 %522, label %725, label %587

584:                                              ; preds = %570, %550, %515, %555
  %585 = phi i64 [ 0, %550 ], [ %561, %555 ], [ %473, %515 ], [ %578, %570 ]
  %586 = phi i64 [ %516, %550 ], [ %553, %555 ], [ %516, %515 ], [ %566, %570 ]
  store i64 %585, ptr %519, align 8
  br label %587

587:                                              ; preds = %584, %582
  %588 = phi i64 [ %533, %582 ], [ %586, %584 ]
  %589 = add i64 %517, 1
  %590 = icmp eq i64 %589, %491
  br i1 %590, label %591, label %515

591:                                              ; preds = %587, %504
  %592 = phi i64 [ %479, %504 ], [ %588, %587 ]
  %593 = add i64 %491, %460
  br label %719

594:                                              ; preds = %456
  %595 = load i64, ptr %18, align 8
  br label %596

596:                                              ; preds = %604, %594
  %597 = phi i64 [ %457, %594 ], [ %600, %604 ]
  %598 = phi i64 [ 0, %594 ], [ %613, %604 ]
  %599 = phi i64 [ 0, %594 ], [ %612, %604 ]
  %600 = add i64 %597, 6
  %601 = icmp ugt i64 %600, %595
  br i1 %601, label %737, label %602

602:                                              ; preds = %596
  %603 = icmp ugt i64 %598, 63
  br i1 %603, label %737, label %604

604:                                              ; preds = %602
  %605 = lshr i64 %597, 3
  %606 = getelementptr inbounds i8, ptr %3, i64 %605
  %607 = load i64, ptr %606, align 1
  %608 = and i64 %597, 7
  %609 = lshr i64 %607, %608
  %610 = and i64 %609, 31
  %611 = shl i64 %610, %598
  %612 = or i64 %611, %599
  %613 = add i64 %598, 5
  %614 = and i64 %609, 32
  %615 = icmp eq i64 %614, 0
  br i1 %615, label %616, label %596

616:                                              ; preds = %604
  %617 = add i64 %597, 37
  %618 = and i64 %617, -32
  %619 = icmp ugt i64 %618, %595
  br i1 %619, label %737, label %620

620:                                              ; preds = %616
  %621 = sub i64 %595, %618
  %622 = lshr i64 %621, 3
  %623 = icmp ugt i64 %612, %622
  br i1 %623, label %737, label %624

624:                                              ; preds = %620
  %625 = lshr exact i64 %618, 3
  %626 = getelementptr i64, ptr %372, i64 %460
  store i64 %625, ptr %626, align 8
  %627 = add i64 %460, 2
  %628 = getelementptr i8, ptr %626, i64 8
  store i64 %612, ptr %628, align 8
  %629 = shl i64 %612, 3
  %630 = or i64 %617, 24
  %631 = add i64 %630, %629
  %632 = and i64 %631, -32
  %633 = or i64 %453, 8589934592
  br label %719

634:                                              ; preds = %456
  %635 = load i64, ptr %18, align 8
  %636 = getelementptr inbounds i8, ptr %459, i64 24
  %637 = load i64, ptr %636, align 8
  %638 = add i64 %460, 1
  %639 = getelementptr inbounds i64, ptr %372, i64 %460
  switch i64 %462, label %670 [
    i64 0, label %712
    i64 4, label %640
  ]

640:                                              ; preds = %634
  %641 = add i64 %457, 6
  %642 = icmp ugt i64 %641, %635
  br i1 %642, label %643, label %645

643:                                              ; preds = %640
  %644 = load i64, ptr %639, align 8
  br label %651

645:                                              ; preds = %640
  %646 = lshr i64 %457, 3
  %647 = getelementptr inbounds i8, ptr %3, i64 %646
  %648 = load i64, ptr %647, align 1
  %649 = and i64 %457, 7
  %650 = lshr i64 %648, %649
  br label %651

651:                                              ; preds = %643, %645
  %652 = phi i64 [ %644, %643 ], [ %650, %645 ]
  %653 = phi i64 [ %457, %643 ], [ %641, %645 ]
  %654 = phi i32 [ 3, %643 ], [ 0, %645 ]
  %655 = and i64 %652, 63
  %656 = icmp ult i64 %655, 26
  br i1 %656, label %657, label %659

657:                                              ; preds = %651
  %658 = add i64 %655, 97
  br label %710

659:                                              ; preds = %651
  %660 = icmp ult i64 %655, 52
  br i1 %660, label %661, label %663

661:                                              ; preds = %659
  %662 = add i64 %655, 39
  br label %710

663:                                              ; preds = %659
  %664 = icmp ult i64 %655, 62
  br i1 %664, label %665, label %667

665:                                              ; preds = %663
  %666 = add i64 %655, -4
  br label %710

667:                                              ; preds = %663
  %668 = icmp eq i64 %655, 62
  %669 = select i1 %668, i64 46, i64 95
  br label %710

670:                                              ; preds = %634
  %671 = icmp eq i64 %637, 0
  br i1 %671, label %712, label %672

672:                                              ; preds = %670
  %673 = icmp eq i64 %462, 1
  br i1 %673, label %674, label %686

674:                                              ; preds = %672
  %675 = add i64 %637, %457
  %676 = icmp ugt i64 %675, %635
  br i1 %676, label %737, label %677

677:                                              ; preds = %674
  %678 = lshr i64 %457, 3
  %679 = getelementptr inbounds i8, ptr %3, i64 %678
  %680 = load i64, ptr %679, align 1
  %681 = and i64 %457, 7
  %682 = lshr i64 %680, %681
  %683 = shl i64 -1, %637
  %684 = xor i64 %683, -1
  %685 = and i64 %682, %684
  br label %712

686:                                              ; preds = %672
  %687 = add i64 %637, -1
  %688 = shl i64 1, %687
  %689 = add i64 %688, -1
  br label %690

690:                                              ; preds = %698, %686
  %691 = phi i64 [ %457, %686 ], [ %694, %698 ]
  %692 = phi i64 [ 0, %686 ], [ %707, %698 ]
  %693 = phi i64 [ 0, %686 ], [ %706, %698 ]
  %694 = add i64 %691, %637
  %695 = icmp ugt i64 %694, %635
  br i1 %695, label %737, label %696

696:                                              ; preds = %690
  %697 = icmp ugt i64 %692, 63
  br i1 %697, label %737, label %698

698:                                              ; preds = %696
  %699 = lshr i64 %691, 3
  %700 = getelementptr inbounds i8, ptr %3, i64 %699
  %701 = load i64, ptr %700, align 1
  %702 = and i64 %691, 7
  %703 = lshr i64 %701, %702
  %704 = and i64 %703, %689
  %705 = shl i64 %704, %692
  %706 = or i64 %705, %693
  %707 = add i64 %692, %687
  %708 = and i64 %703, %688
  %709 = icmp eq i64 %708, 0
  br i1 %709, label %712, label %690

710:                                              ; preds = %667, %665, %661, %657
  %711 = phi i64 [ %658, %657 ], [ %662, %661 ], [ %666, %665 ], [ %669, %667 ]
  store i64 %711, ptr %639, align 8
  br i1 %642, label %725, label %715

712:                                              ; preds = %698, %670, %634, %677
  %713 = phi i64 [ 0, %670 ], [ %685, %677 ], [ %637, %634 ], [ %706, %698 ]
  %714 = phi i64 [ %457, %670 ], [ %675, %677 ], [ %457, %634 ], [ %694, %698 ]
  store i64 %713, ptr %639, align 8
  br label %715

715:                                              ; preds = %712, %710
  %716 = phi i64 [ %653, %710 ], [ %714, %712 ]
  %717 = add i64 %458, 1
  %718 = icmp eq i64 %717, %374
  br i1 %718, label %719, label %456

719:                                              ; preds = %715, %624, %591, %451
  %720 = phi i64 [ %452, %451 ], [ %592, %591 ], [ %632, %624 ], [ %716, %715 ]
  %721 = phi i64 [ %453, %451 ], [ %453, %591 ], [ %633, %624 ], [ %453, %715 ]
  %722 = phi i64 [ %454, %451 ], [ %593, %591 ], [ %627, %624 ], [ %638, %715 ]
  %723 = getelementptr inbounds i64, ptr %372, i64 %28
  store i64 %721, ptr %723, align 8
  %724 = getelementptr i8, ptr %723, i64 8
  store i64 %722, ptr %724, align 8
  br label %729

725:                                              ; preds = %710, %582
  %726 = phi i64 [ %533, %582 ], [ %653, %710 ]
  %727 = phi i32 [ %534, %582 ], [ %654, %710 ]
  %728 = icmp eq i32 %727, 0
  br i1 %728, label %729, label %737

729:                                              ; preds = %360, %327, %264, %719, %725
  %730 = phi i64 [ %726, %725 ], [ %720, %719 ], [ %300, %327 ], [ %271, %264 ], [ %344, %360 ]
  store i64 %730, ptr %13, align 8
  %731 = getelementptr i64, ptr %12, i64 %28
  %732 = getelementptr i8, ptr %731, i64 8
  %733 = load i64, ptr %732, align 8
  store i64 %733, ptr %15, align 8
  %734 = load i64, ptr %731, align 8
  %735 = load i64, ptr %25, align 8
  %736 = icmp eq i64 %734, %735
  br i1 %736, label %737, label %26

737:                                              ; preds = %26, %620, %616, %500, %411, %447, %495, %367, %383, %318, %316, %322, %253, %248, %201, %729, %725, %363, %195, %31, %81, %76, %73, %282, %276, %302, %296, %215, %209, %228, %234, %433, %427, %674, %602, %596, %475, %481, %552, %53, %59, %128, %95, %166, %160, %182, %162, %179, %183, %88, %346, %340, %690, %696, %568, %562, %115, %109, %140, %146, %46
  %738 = phi i32 [ 6, %602 ], [ 0, %46 ], [ 3, %475 ], [ 3, %674 ], [ 5, %81 ], [ 3, %140 ], [ 6, %115 ], [ 6, %568 ], [ 6, %282 ], [ 6, %433 ], [ 6, %234 ], [ 3, %690 ], [ 6, %215 ], [ 6, %346 ], [ 3, %53 ], [ 6, %302 ], [ 5, %88 ], [ 3, %552 ], [ 6, %146 ], [ 3, %109 ], [ 3, %562 ], [ 6, %696 ], [ 3, %340 ], [ 5, %183 ], [ 5, %179 ], [ 5, %162 ], [ 5, %182 ], [ 5, %160 ], [ 5, %166 ], [ 3, %95 ], [ 3, %128 ], [ 6, %59 ], [ 6, %481 ], [ 3, %596 ], [ 3, %427 ], [ 3, %228 ], [ 3, %209 ], [ 3, %296 ], [ 3, %276 ], [ 3, %31 ], [ 5, %76 ], [ 5, %73 ], [ 0, %195 ], [ 3, %248 ], [ 4, %363 ], [ 1, %367 ], [ 1, %500 ], [ 1, %322 ], [ 6, %316 ], [ 3, %495 ], [ 2, %729 ], [ 1, %201 ], [ 6, %447 ], [ 3, %411 ], [ 3, %616 ], [ 7, %253 ], [ 3, %383 ], [ 3, %620 ], [ 3, %318 ], [ %727, %725 ], [ 0, %26 ]
  ret i32 %738
}

declare i64 @llvm.umax.i64(i64, i64)

